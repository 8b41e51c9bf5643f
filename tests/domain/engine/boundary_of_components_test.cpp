// Conditions that mean the same, and those that each component of a field has for itself.

#include <gtest/gtest.h>

#include <cmath>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/stencil/unroll.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::boundary_of_components_test {
namespace {

using test::Results;
using test::SettingsProduct;
using Diffuse = test::Diffusion<double>;

struct Table {
  std::vector<double> values;
  double operator()(const GhostCell& g) const { return values.at(0) * g.inside(1); }
  bool operator==(const Table&) const = default;
};

TEST(Boundary, ConditionsThatMeanTheSameAreEqual) {
  EXPECT_EQ(constant(2), constant(2));
  EXPECT_NE(constant(2), constant(3));
  EXPECT_NE(constant(2), wall_value(2));
  const auto with = [](double b, int n) {
    return custom([b, n](const GhostCell& g) { return b * g.inside(n); });
  };
  EXPECT_EQ(with(0.5, 1), with(0.5, 1));
  EXPECT_NE(with(0.5, 1), with(0.25, 1));
  EXPECT_NE(with(0.5, 1), with(0.5, 2));
  const auto nothing = [] { return custom([](const GhostCell& g) { return g.time; }); };
  EXPECT_EQ(nothing(), nothing());
  EXPECT_NE(nothing(), custom([](const GhostCell& g) { return g.time; }));
  // What holds more than numbers is compared by its own ==, else it equals itself alone.
  EXPECT_EQ(custom(Table{{1, 2}}), custom(Table{{1, 2}}));
  EXPECT_NE(custom(Table{{1, 2}}), custom(Table{{1, 3}}));
  const auto captured = [values = std::vector<double>{1}](const GhostCell&) { return values[0]; };
  const BoundaryCondition once = custom(captured);
  EXPECT_EQ(once, BoundaryCondition(once));
  EXPECT_NE(once, custom(captured));
}

/// The loop of docs/boundaries.md with the rule made in it.
TEST(Boundary, FieldsMayBeSwappedWhoseRulesAreMadeForEach) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {20, 17, 18}, .boundary = mirror});
  Field<double> u(grid, "u"), next(grid, "next");
  const double b = 0.25;
  for (auto* field : {&u, &next}) {
    field->boundary(Axis::y, Side::high, custom([b](const GhostCell& g) {
                      return ((1 - b) * g.inside(1) + 2 * b) / (1 + b);
                    }));
  }
  u.fill(0);
  Program step("diffuse");
  step.apply(Diffuse{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  Engine(step).run(2, clock);
  EXPECT_GT(u.get({3, 16, 3}), 0);
}

/// Every component is read at all its neighbours.
struct DiffuseVector {
  GOBAN_FUNCTION void operator()(auto v, auto next) const {
    goban::unroll<3>([&](auto c) {
      next[c] = 0.5 * v[c]() + 0.0625 * (v[c](1, 0, 0) + v[c](-1, 0, 0) + v[c](0, 1, 0) +
                                         v[c](0, -1, 0) + v[c](0, 0, 1) + v[c](0, 0, -1));
    });
  }
};

/// A slip wall: nothing passes, nothing is held back along it. A vector is as good as its
/// components as fields of their own, whatever their conditions and places.
TEST(Boundary, ComponentsOfAVectorHaveConditionsOfTheirOwn) {
  for (const Location location : {Location::cell, Location::face_x}) {
    const auto conditions = [](auto& field, int c, auto... component) {
      const auto rule = custom([](const GhostCell& g) { return g.time - g.inside(2); });
      field.boundary(BoundarySet(mirror, c == 2 ? constant(0.5) : mirror, mirror), component...);
      for (Side side : both_sides) {
        field.boundary(static_cast<Axis>(c), side, wall_value(0), component...);
      }
      if (c == 1) field.boundary(Axis::x, Side::high, rule, component...);
    };
    const auto start = [](Index3 p, int c) {
      return static_cast<double>((p[0] * 7 + p[1] * 13 + p[2] * 29 + c * 11) % 31);
    };
    std::vector<std::vector<double>> expected;
    for (int c = 0; c < 3; ++c) {
      Runtime runtime(test::plainest());
      Grid grid(runtime, {.cells = {20, 17, 18}, .boundary = mirror});
      Field<double> u(grid, "u", {location}), next(grid, "next", {location});
      for (auto* field : {&u, &next}) conditions(*field, c);
      u.fill([&](Index3 p) { return start(p, c); });
      next.fill(0);
      Program step("diffuse");
      step.apply(
          [](auto v, auto w) {
            w = 0.5 * v() + 0.0625 * (v(1, 0, 0) + v(-1, 0, 0) + v(0, 1, 0) + v(0, -1, 0) +
                                      v(0, 0, 1) + v(0, 0, -1));
          },
          in(u), out(next));
      step.swap(u, next);
      StepClock clock;
      clock.dt = 0.25;
      Engine(step).run(5, clock);
      expected.push_back(u.copy_out());
    }
    const auto run = [&](const Settings& settings) {
      Runtime runtime(settings);
      Grid grid(runtime, {.cells = {20, 17, 18}, .boundary = mirror});
      Field<double, 3> v(grid, "v", {location}), next(grid, "next", {location});
      for (int c = 0; c < 3; ++c) {
        for (auto* field : {&v, &next}) conditions(*field, c, c);
      }
      v.fill(start);
      next.fill(0);
      Program step("diffuse");
      step.apply(DiffuseVector{}, in(v), out(next));
      step.swap(v, next);
      StepClock clock;
      clock.dt = 0.25;
      Engine(step).run(5, clock);
      const auto all = v.copy_out();
      for (int c = 0; c < 3; ++c) {
        const auto n = expected[0].size();
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(n) * c;
        EXPECT_TRUE(std::equal(from, from + static_cast<std::ptrdiff_t>(n), expected[c].begin()))
            << test::options_of(settings) << ", component " << c;
      }
      return Results{{"v", v.checksum()}};
    };
    SettingsProduct product;
    product.cuts = {{"", "", ""}, {"", "8,9", "8,10"}, {"9,11", "", ""}};
    product.backends = {Backend::cpu, Backend::emulated};
    product.steps_per_exchange = {1, 2, 3};
    product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
    product.temporal_blocking = {0, 2};
    test::expect_same_bits(run, product.all());
  }
}

TEST(Boundary, RulesSeeTheComponent) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 1, 1}, .boundary = mirror});
  Field<double, 3> u(grid, "u"), v(grid, "v");
  u.fill(1);
  u.boundary(Axis::x, Side::high, custom([](const GhostCell& g) { return 10.0 * g.component; }));
  Program step("shift");
  step.apply(
      [](auto from, auto to) { goban::unroll<3>([&](auto c) { to[c] = from[c](1, 0, 0); }); },
      in(u), out(v));
  StepClock clock;
  Engine(step).run(1, clock);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(v.get({3, 0, 0}, c), 10 * c);
}

}  // namespace
}  // namespace goban::boundary_of_components_test
