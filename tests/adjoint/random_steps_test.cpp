// Random functors in random steps: adjoints are transposed tangents, with the same bits anywhere.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "tests/adjoint/functors.hpp"

namespace goban::random_steps_test {
namespace {

using test::Fields;

/// Operations on values read at random places; results lie between -1 and 1.
struct RandomFunctor {
  std::uint64_t seed = 0;

  template <class U, class V, class Next>
  void operator()(U u, V v, Next next) const {
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto offset = [&] { return below(5) - 2; };
    decltype(u()) values[16] = {u(), v()};
    int count = 2;
    for (; count < 6; ++count) {
      const int i = offset(), j = offset(), k = offset();
      values[count] = below(3) > 0 ? u(i, j, k) : v(i, j, k);
    }
    const auto some = [&] { return values[below(count)]; };
    for (; count < 16; ++count) {
      const auto a = some(), b = some(), c = some();
      values[count] = operation(below(16), a, b, c);
    }
    auto sum = 0.3 * values[15];
    for (const auto& one : values) sum = sum + 0.1 * one;
    if (below(3) == 0 && values[0] > 0.3) {
      next = tanh(sum);
    } else {
      next = sin(sum);
    }
  }

 private:
  template <class T>
  static T operation(int which, T a, T b, T c) {
    switch (which) {
      case 0: return a + b;
      case 1: return a - 0.7 * b;
      case 2:
      case 3: return a * b;
      case 4: return a / (1.2 + b * b);
      case 5: return sin(a) * cos(b);
      case 6: return exp(-abs(a));
      case 7: return log(1.0 + a * a) + sqrt(1.0 + b * b);
      case 8: return min(a, b);
      case 9: return max(a, b) - c;
      case 10: return select(a > b, c, a * b);
      case 11: return select(a > 0.0, sqrt(a), b);
      case 12: return pow(1.0 + a * a, b);
      case 13: return atan2(a, 1.0 + c * c) + cbrt(2.0 + sin(b));
      case 14: return fma(a, b, c);
      default: return 0.5 * a - floor(2.0 * b) * 0.1;
    }
  }
};
struct Sum {
  GOBAN_FUNCTION auto operator()(auto u, auto v, auto weight) const {
    return weight() * u() + 0.7 * weight(1, 0, 0) * v();
  }
};

double dot(const Field<double>& a, const Field<double>& b) {
  const auto x = a.copy_out(), y = b.copy_out();
  double sum = 0;
  for (std::size_t n = 0; n < x.size(); ++n) sum += x[n] * y[n];
  return sum;
}

struct RandomStep {
  Runtime runtime;
  Grid grid;
  Fields f;
  Parameter<double> total{"total"};
  Program step{"step"}, objective{"objective"};

  static BoundarySet boundary(std::mt19937_64& random) {
    const std::vector<BoundaryCondition> walls{constant(0.2), wall_value(-0.1), gradient(0.1),
                                               mirror};
    BoundarySet set;
    for (auto& axis : set.sides) {
      if (random() % 3 == 0) continue;  // periodic
      for (auto& side : axis) side = walls[random() % walls.size()];
    }
    return set;
  }

  RandomStep(std::uint64_t seed, const Settings& settings, std::mt19937_64 random)
      : runtime(settings),
        grid(runtime, {.cells = {6, 5, 7}, .boundary = boundary(random)}),
        f(grid) {
    step.apply(RandomFunctor{seed}, in(f.u), in(f.v), out(f.next));
    const auto add = [&](const Field<double>& a, const Field<double>& b, const Field<double>& to) {
      auto stage = step.apply(RandomFunctor{random()}, in(a), in(b), out(to));
      if (random() % 3 == 0) stage.over({{1, 0, 2}, {5, 4, 6}});
      if (random() % 4 == 0) stage.where(f.mask);
    };
    f.v_next.fill(0.1);
    add(f.next, f.v, f.v_next);
    if (random() % 2 == 0) step.swap(f.v, f.v_next);
    add(f.next, f.v_next, f.u);
    if (random() % 2 == 0) step.rotate(f.u, f.v, f.v_next);
    objective.reduce(Sum{}, in(f.u), in(f.v), in(f.c), sum, into(total));
  }
};

TEST(RandomSteps, HaveAdjointsThatAreTransposedTangents) {
  constexpr std::uint64_t steps = 20;
  for (std::uint64_t seed = 1; seed <= steps; ++seed) {
    RandomStep p(seed, test::plainest(), std::mt19937_64(seed));
    const std::vector<GradientOf> of{p.f.u, p.f.v, p.f.v_next};
    const auto overwritten = detail::record_of(p.step).overwritten_first();
    std::vector<GradientOf> given;
    for (const GradientOf& one : of) {
      if (overwritten.count(one.field) == 0) given.push_back(one);
    }
    Adjoint adjoint(p.step, p.objective, given);
    adjoint.evaluate(2, 1);
    Tangent tangent(p.step, given);
    double expected = 0, size = 0;
    for (const GradientOf& one : given) {
      Field<double> change(p.grid.state(), tangent.change_of(one.field));
      change.fill([&](Index3 i) { return Fields::value(i, one.field->id + 50) - 0.3; });
      const Field<double> gradient(p.grid.state(), adjoint.gradient_of(one.field));
      expected += dot(change, gradient);
      size += std::sqrt(dot(change, change) * dot(gradient, gradient));
    }
    StepClock clock;
    Engine engine(tangent.step());
    engine.run(2, clock);
    engine.synchronize();
    double found = 0;
    Field<double> weight(p.grid.state(), p.f.c.record());
    Program sums("sums");
    sums.reduce(Sum{}, in(tangent.change(p.f.u)), in(tangent.change(p.f.v)), in(weight), sum,
                into(p.total));
    Engine(sums).run(1, clock);
    found = p.total.value();
    EXPECT_NEAR(found, expected, 1e-13 * std::max(1.0, size)) << "seed " << seed;
    EXPECT_GT(size, 0) << "seed " << seed;
  }
}

TEST(RandomSteps, HaveTheSameBitsOnAnyCut) {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"3,3", "", "4,3"}};
  product.backends = {Backend::cpu, Backend::emulated};
  for (const std::uint64_t seed : {7u, 8u}) {
    test::expect_same_bits(
        [&](const Settings& settings) {
          RandomStep p(seed, settings, std::mt19937_64(seed));
          Adjoint adjoint(p.step, p.objective, {p.f.u, p.f.v});
          const double value = adjoint.evaluate(3, 2);
          return test::Results{{"value", std::bit_cast<std::uint64_t>(value)},
                               {"u", adjoint.gradient(p.f.u).checksum()},
                               {"v", adjoint.gradient(p.f.v).checksum()}};
        },
        product.all());
  }
}

}  // namespace
}  // namespace goban::random_steps_test
