#pragma once
// Adjoints beside tangents: <A p, q> = <p, A* q>, A the derivative of some steps.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/adjoint/functors.hpp"

namespace goban::test {

inline double dot(const Field<double>& a, const Field<double>& b) {
  const auto x = a.copy_out(), y = b.copy_out();
  double sum = 0;
  for (std::size_t n = 0; n < x.size(); ++n) sum += x[n] * y[n];
  return sum;
}

/// Linear in u and v.
struct WeightedSum {
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto weight) const {
    return weight() * u() + 0.7 * weight(1, 0, 0) * v();
  }
};

/// The adjoint is with respect to what the step reads before it writes it. The objective is a
/// linear functor of fields, which the step writes, and of weights. The gradient is that of two
/// steps.
template <class Linear, class... Written>
void expect_transposed(Grid& grid, const Program& step, std::vector<GradientOf> of,
                       const std::string& what, double tolerance, const Linear& linear,
                       const Field<double>& weights, const Written&... written) {
  Parameter<double> total("total");
  Program objective("objective");
  objective.reduce(linear, in(written)..., in(weights), sum, into(total));
  const auto overwritten = detail::record_of(step).overwritten_first();
  std::erase_if(
      of, [&](const GradientOf& one) { return one.field && overwritten.count(one.field) > 0; });
  Adjoint adjoint(step, objective, of);
  adjoint.evaluate(2, {1});
  Tangent tangent(step, of);
  double expected = 0, size = 0;
  for (const GradientOf& one : of) {
    if (one.parameter) {
      Parameter<double>(tangent.change_of(one.parameter)).set(0.37);
      expected += 0.37 * adjoint.gradient_of(one.parameter);
      continue;
    }
    Field<double> change(grid.state(), tangent.change_of(one.field));
    change.fill([&](Index3 i) { return Fields::value(i, one.field->id + 50) - 0.3; });
    const Field<double> gradient(grid.state(), adjoint.gradient_of(one.field));
    expected += dot(change, gradient);
    size += std::sqrt(dot(change, change) * dot(gradient, gradient));
  }
  StepClock clock;
  Engine engine(tangent.step());
  engine.run(2, clock);
  engine.synchronize();
  Program sums("sums");
  sums.reduce(linear, in(tangent.change(written))..., in(weights), sum, into(total));
  Engine(sums).run(1, clock);
  EXPECT_NEAR(total.value(), expected, tolerance * std::max(1.0, size)) << what;
  EXPECT_GT(size, 0) << what;
}

/// The objective is of u and v; c holds the weights.
inline void expect_transposed(Grid& grid, const Fields& f, const Program& step,
                              const std::vector<GradientOf>& of, const std::string& what) {
  expect_transposed(grid, step, of, what, 1e-13, WeightedSum{}, f.c, f.u, f.v);
}

/// f(x + h p) = f(x) + h <gradient, p> + O(h^2): ten times closer, a hundred times better. Fields
/// hold x; `least`: of the rest, which has round-off and what solvers leave.
inline void expect_rest_of_second_order(Grid& grid, const Program& step, const Program& objective,
                                        const std::vector<GradientOf>& of, double h, double least,
                                        const std::string& what) {
  constexpr Index steps = 2;
  Adjoint adjoint(step, objective, of);
  const double value = adjoint.evaluate(steps);
  std::vector<std::vector<double>> start, directions;
  double slope = 0;
  for (const GradientOf& one : of) {
    if (one.parameter) {
      start.push_back({one.parameter->value});
      directions.push_back({0.37});
      slope += 0.37 * adjoint.gradient_of(one.parameter);
      continue;
    }
    const Field<double> field(grid.state(), one.field);
    const Field<double> gradient(grid.state(), adjoint.gradient_of(one.field));
    Field<double> direction(field, "direction of " + field.name());
    direction.fill([&](Index3 i) { return Fields::value(i, one.field->id + 50) - 0.3; });
    start.push_back(field.copy_out());
    directions.push_back(direction.copy_out());
    slope += dot(direction, gradient);
  }
  const auto rest = [&](double distance) {
    for (std::size_t n = 0; n < of.size(); ++n) {
      std::vector<double> moved = start[n];
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += distance * directions[n][i];
      if (of[n].parameter) {
        of[n].parameter->value = moved.front();
      } else {
        Field<double>(grid.state(), of[n].field).copy_in(moved);
      }
    }
    return std::abs(adjoint.evaluate(steps) - value - distance * slope);
  };
  const double far = rest(h), near = rest(h / 10);
  EXPECT_GT(far, 10 * least) << what;
  EXPECT_LT(near, 0.012 * far + least) << what;
  rest(0);
}

}  // namespace goban::test
