// Random geometries, functors, conditions and cuts: what the reference makes of them.

#include <gtest/gtest.h>

#include <random>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::list_random_test {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool once_in(int n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 random_;
};

struct Term {
  int component = 0;
  std::array<int, 3> at{};
  float weight = 1;
};

/// Some neighbours of two fields.
struct Stencil {
  std::array<Term, 6> of_u, of_v;
  int terms_of_u = 1, terms_of_v = 1;

  GOBAN_FUNCTION void operator()(auto u, auto v, auto next) const {
    auto sum = 0.25f * u[0]();
    for (int n = 0; n < terms_of_u; ++n) {
      const auto& [c, at, weight] = of_u[static_cast<std::size_t>(n)];
      sum = sum + weight * u[c](at[0], at[1], at[2]);
    }
    auto other = 0.5 * v();
    for (int n = 0; n < terms_of_v; ++n) {
      const auto& [c, at, weight] = of_v[static_cast<std::size_t>(n)];
      other = max(other, v(at[0], at[1], at[2]) + static_cast<double>(weight));
    }
    next[0] = select(u[1]() > sum, sum, convert<float>(other));
    next[1] = u[1]() - 0.125f * sum;
  }
};

Stencil random_stencil(Draw& draw) {
  Stencil stencil;
  for (auto* terms : {&stencil.of_u, &stencil.of_v}) {
    for (Term& term : *terms) {
      const int reach = draw.once_in(4) ? 3 : 1;
      term.component = draw.between(0, 1);
      for (int& along : term.at) along = draw.between(-reach, reach);
      term.weight = static_cast<float>(draw.between(-8, 8)) / 16;
    }
  }
  stencil.terms_of_u = draw.between(1, 6);
  stencil.terms_of_v = draw.between(1, 6);
  return stencil;
}

BoundaryCondition random_condition(Draw& draw) {
  const double value = draw.between(-4, 4) / 8.0;
  switch (draw.between(0, 3)) {
    case 0: return constant(value);
    case 1: return wall_value(value);
    case 2: return gradient(value);
    default: return mirror;
  }
}

BoundarySet random_sides(Draw& draw, const std::array<bool, 3>& is_periodic) {
  BoundarySet sides;
  for (std::size_t a = 0; a < 3; ++a) {
    for (auto& side : sides.sides[a]) side = is_periodic[a] ? periodic : random_condition(draw);
  }
  return sides;
}

test::Results compute(Runtime& runtime, std::uint64_t seed) {
  Draw draw(seed);
  Index3 box;
  std::array<bool, 3> is_periodic{};
  for (std::size_t a = 0; a < 3; ++a) {
    box[a] = draw.between(4, 21);
    is_periodic[a] = draw.once_in(2);
  }
  const int share = draw.between(1, 9), grain = draw.between(1, 4);
  const auto is_active = [=](Index3 i) {
    const auto n =
        static_cast<std::uint64_t>(i[0] / grain + 100 * (i[1] / grain) + 10000 * (i[2] / grain));
    return static_cast<int>(mix(seed ^ n) % 10) < share || (i[1] == 1 && i[2] == 2);
  };
  Grid grid(runtime, {.cells = box,
                      .spacing = {1, 0.5, 2},
                      .boundary = random_sides(draw, is_periodic),
                      .active = is_active});
  Field<float, 2> u(grid, "u"), next(grid, "next");
  Field<double> v(grid, "v");
  const BoundarySet sides = random_sides(draw, is_periodic);
  const BoundaryCondition of_u = random_condition(draw), of_v = random_condition(draw);
  for (auto* field : {&u, &next}) field->boundary(sides, 1).inactive(of_u);
  v.inactive(of_v);
  u.fill([](Index3 i, int c) { return test::pattern(i) - 0.5 * c; });
  v.fill(test::pattern);
  Program step("step");
  step.apply(random_stencil(draw), in(u), in(v), out(next));
  step.apply([](auto u, auto v) { v = 0.5 * v() + convert<double>(u[0](0, 1, 0)); }, in(next),
             inout(v));
  step.swap(u, next);
  Parameter<double> total("total");
  step.reduce([](auto v) { return v(1, 0, 0) * v(); }, in(v), sum, into(total));
  Engine engine(step);
  StepClock clock;
  engine.run(7, clock);
  return {{"u", u.checksum()}, {"v", v.checksum()}, {"total", test::bits(total.value())}};
}

TEST(ListRandom, ProgramsMatchTheReference) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const auto with = [&](const Settings& settings) {
      Runtime runtime(settings);
      return compute(runtime, seed);
    };
    Draw draw(1000 + seed);
    Settings settings;
    settings.threads = draw.between(1, 2);
    settings.backend = Backend::reference;
    const test::Results expected = with(settings);
    settings.backend = Backend::cpu;
    settings.kernels = draw.once_in(8) ? KernelMode::wait : KernelMode::evaluate;
    settings.overlap = draw.once_in(2) ? Overlap::none : Overlap::one_kernel;
    EXPECT_EQ(with(settings), expected) << "seed " << seed;
    const int ranks = draw.between(1, 8);
    for (const test::Results& found : test::results_of_ranks(ranks, with, settings)) {
      EXPECT_EQ(found, expected) << "seed " << seed << ", " << ranks << " ranks";
    }
    settings.patches = {draw.between(2, 4), 1, 1};
    EXPECT_EQ(with(settings), expected) << "seed " << seed;
    settings.backend = Backend::emulated;
    settings.delay_microseconds = 5;
    EXPECT_EQ(with(settings), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace goban::list_random_test
