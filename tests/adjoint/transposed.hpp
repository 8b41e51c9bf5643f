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

/// Of u, v and k, and what else the step reads before it writes it; c holds the weights. The
/// gradient is that of two steps.
inline void expect_transposed(Grid& grid, const Fields& f, const Program& step,
                              std::vector<GradientOf> of, const std::string& what) {
  Parameter<double> total("total");
  Program objective("objective");
  objective.reduce(WeightedSum{}, in(f.u), in(f.v), in(f.c), sum, into(total));
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
  sums.reduce(WeightedSum{}, in(tangent.change(f.u)), in(tangent.change(f.v)), in(f.c), sum,
              into(total));
  Engine(sums).run(1, clock);
  EXPECT_NEAR(total.value(), expected, 1e-13 * std::max(1.0, size)) << what;
  EXPECT_GT(size, 0) << what;
}

}  // namespace goban::test
