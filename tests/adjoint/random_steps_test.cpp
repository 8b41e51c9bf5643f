// Random functors in random steps: adjoints are transposed tangents, with the same bits anywhere.
//   GOBAN_LONG_TESTS=1        2,000 steps
//   GOBAN_FUZZ_CASES=N        as many as asked for
//   GOBAN_FUZZ_SEED=17        from this seed on, as a failure prints it

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "tests/adjoint/random_values.hpp"
#include "tests/adjoint/transposed.hpp"
#include "tests/long.hpp"

namespace goban::random_steps_test {
namespace {

using test::Fields;

/// Operations on values read at random places; results lie between -1 and 1.
struct RandomFunctor {
  std::uint64_t seed = 0;

  template <class U, class V, class Next>
  void operator()(U u, V v, Next next) const {
    test::RandomValues random(seed);
    test::Values values{u(), v()};
    for (int n = 0; n < 4; ++n) {
      const int i = random.offset(), j = random.offset(), k = random.offset();
      values.add(random.below(3) > 0 ? u(i, j, k) : v(i, j, k));
    }
    random.grow(values, 10);
    const auto sum = random.sum(values);
    if (random.below(3) == 0 && values.all[0] > 0.3) {
      next = tanh(sum);
    } else {
      next = sin(sum);
    }
  }
};

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
    objective.reduce(test::WeightedSum{}, in(f.u), in(f.v), in(f.c), sum, into(total));
  }
};

TEST(RandomSteps, HaveAdjointsThatAreTransposedTangents) {
  const int steps = test::fuzz_cases(test::in_short_or_long(20, 2000));
  const std::uint64_t first = test::fuzz_seed(1);
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(steps); ++seed) {
    RandomStep p(seed, test::plainest(), std::mt19937_64(seed));
    test::expect_transposed(p.grid, p.f, p.step, {p.f.u, p.f.v, p.f.v_next},
                            "seed " + std::to_string(seed));
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
          const double value = adjoint.evaluate(3, {2});
          return test::Results{{"value", std::bit_cast<std::uint64_t>(value)},
                               {"u", adjoint.gradient(p.f.u).checksum()},
                               {"v", adjoint.gradient(p.f.v).checksum()}};
        },
        product.all());
  }
}

}  // namespace
}  // namespace goban::random_steps_test
