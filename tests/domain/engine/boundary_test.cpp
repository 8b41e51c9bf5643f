// What stencils see beyond the walls.

#include <gmock/gmock.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::boundary_test {
namespace {

using test::Results;
using test::SettingsProduct;
using Diffuse = test::Diffusion<double>;

template <int I, int J, int K>
struct Shift {
  GOBAN_FUNCTION void operator()(auto u, auto v) const { v = u(I, J, K); }
};

double ramp(Index3 p) { return static_cast<double>(1 + p[0] + 10 * p[1] + 100 * p[2]); }

/// The value at offset (I, J, K) of every cell of a 3 x 3 x 3 grid that holds 1 + x + 10 y + 100 z.
template <class T, int I, int J, int K, class Layout = ijk>
std::vector<T> shifted_ramp(const BoundarySet& boundary, Location location = Location::cell) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {3, 3, 3}, .spacing = {0.5, 1, 2}, .boundary = boundary});
  Field<T, 1, Layout> u(grid, "u", {location}), v(grid, "v", {location});
  for (Axis axis : all_axes) {
    if (grid.state()->is_periodic(index_of(axis))) continue;
    for (Side side : both_sides) v.boundary(axis, side, mirror);  // leaves its wall faces alone
  }
  u.fill(ramp);
  Program step("shift");
  step.apply(Shift<I, J, K>{}, in(u), out(v));
  StepClock clock;
  Engine(step).run(1, clock);
  return v.copy_out(Box{{0, 0, 0}, {3, 3, 3}});
}

template <class T>
T at(const std::vector<T>& values, Index x, Index y, Index z) {
  return values[static_cast<std::size_t>(x + 3 * (y + 3 * z))];
}

template <class Layout>
void check_kinds_on_cells() {
  const auto low = [](const BoundaryCondition& c) {
    return at(shifted_ramp<double, -2, 0, 0, Layout>({c, mirror, mirror}), 0, 0, 0);
  };
  const auto high = [](const BoundaryCondition& c) {
    return at(shifted_ramp<double, 2, 0, 0, Layout>({c, mirror, mirror}), 2, 0, 0);
  };
  // Inside, from the low side: 1 2 3. Two layers out stands the mirror image of the 2 in the
  // middle.
  EXPECT_EQ(low(constant(7)), 7);
  EXPECT_EQ(low(mirror), 2);
  EXPECT_EQ(low(wall_value(5)), 10 - 2);
  EXPECT_EQ(low(gradient(4)), 2 + 4 * 3 * 0.5);
  EXPECT_EQ(low(periodic), 2);
  EXPECT_EQ(high(constant(7)), 7);
  EXPECT_EQ(high(mirror), 2);
  EXPECT_EQ(high(wall_value(5)), 10 - 2);
  EXPECT_EQ(high(gradient(4)), 2 + 4 * 3 * 0.5);
  EXPECT_EQ(high(periodic), 2);
}

TEST(Boundary, KindsOnCells) { check_kinds_on_cells<ijk>(); }
TEST(Boundary, KindsOnCellsAlongZ) { check_kinds_on_cells<kij>(); }

TEST(Boundary, FirstLayersMirrorFirstCells) {
  EXPECT_EQ(at(shifted_ramp<double, 0, -1, 0>({mirror, wall_value(5), mirror}), 0, 0, 0), 10 - 1);
  EXPECT_EQ(at(shifted_ramp<double, 0, 1, 0>({mirror, wall_value(5), mirror}), 0, 2, 0), 10 - 21);
  EXPECT_EQ(at(shifted_ramp<double, 0, 0, 1>({mirror, mirror, gradient(4)}), 0, 0, 2), 201 + 4 * 2);
  EXPECT_EQ(at(shifted_ramp<double, 0, 0, -1>({mirror, mirror, gradient(4)}), 0, 0, 0), 1 + 4 * 2);
}

/// Faces along x: 1 2 3 4, the first and the last are the walls.
TEST(Boundary, KindsOnFaces) {
  const auto low = [](const BoundaryCondition& c) {
    return at(shifted_ramp<double, -2, 0, 0>({c, mirror, mirror}, Location::face_x), 0, 0, 0);
  };
  const auto high = [](const BoundaryCondition& c) {
    return at(shifted_ramp<double, 2, 0, 0>({c, mirror, mirror}, Location::face_x), 2, 0, 0);
  };
  EXPECT_EQ(low(constant(7)), 7);
  EXPECT_EQ(low(mirror), 3);
  EXPECT_EQ(low(wall_value(5)), 10 - 3);
  EXPECT_EQ(low(gradient(4)), 3 + 4 * 4 * 0.5);
  EXPECT_EQ(high(constant(7)), 7);  // one beyond the wall face, whose mirror image is the third
  EXPECT_EQ(high(mirror), 3);
  EXPECT_EQ(high(wall_value(5)), 10 - 3);
  EXPECT_EQ(high(gradient(4)), 3 + 2 * 4 * 0.5);
}

TEST(Boundary, WallValueSetsTheWallFacesThemselves) {
  const auto faces = [](const BoundaryCondition& c) {
    Runtime runtime(test::plainest());
    Grid grid(runtime, {.cells = {3, 1, 1}, .boundary = {c, mirror, mirror}});
    Field<double> u(grid, "u", {Location::face_x}), v(grid, "v", {Location::face_x});
    u.fill(ramp);
    Program step("copy");
    step.apply(Shift<0, 0, 0>{}, in(u), out(v));
    StepClock clock;
    Engine(step).run(1, clock);
    return v.copy_out();
  };
  EXPECT_THAT(faces(wall_value(5)), testing::ElementsAre(5, 2, 3, 5));
  EXPECT_THAT(faces(mirror), testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(faces(constant(5)), testing::ElementsAre(1, 2, 3, 4));
}

TEST(Boundary, CornersFollowXThenYThenZ) {
  // (-1, -1, -1) of cell (0, 0, 0), whose value is 1.
  EXPECT_EQ(at(shifted_ramp<double, -1, -1, -1>({constant(7), mirror, mirror}), 0, 0, 0), 7);
  EXPECT_EQ(at(shifted_ramp<double, -1, -1, -1>({constant(7), constant(8), mirror}), 0, 0, 0), 8);
  EXPECT_EQ(at(shifted_ramp<double, -1, -1, -1>({mirror, constant(8), constant(9)}), 0, 0, 0), 9);
  // x makes 10 - 1 = 9, y makes 20 - 9 = 11, z makes 40 - 11 = 29.
  const BoundarySet walls(wall_value(5), wall_value(10), wall_value(20));
  EXPECT_EQ(at(shifted_ramp<double, -1, -1, -1>(walls), 0, 0, 0), 29);
  EXPECT_EQ((at(shifted_ramp<double, -1, -1, -1, kij>(walls), 0, 0, 0)), 29);
  // Opposite corner: 10 - 223 = -213, 20 + 213 = 233, 40 - 233 = -193.
  EXPECT_EQ(at(shifted_ramp<double, 1, 1, 1>(walls), 2, 2, 2), -193);
}

TEST(Boundary, PeriodicWrapsIntoCorners) {
  EXPECT_EQ(at(shifted_ramp<double, -1, -1, -1>(periodic), 0, 0, 0), ramp({2, 2, 2}));
  EXPECT_EQ(at(shifted_ramp<double, 1, -1, 0>(periodic), 2, 0, 1), ramp({0, 2, 1}));
}

TEST(Boundary, SidesMayDiffer) {
  BoundarySet sides(mirror);
  sides.at(Axis::y, Side::low) = constant(-1);
  sides.at(Axis::y, Side::high) = constant(-2);
  EXPECT_EQ(at(shifted_ramp<double, 0, -1, 0>(sides), 1, 0, 1), -1);
  EXPECT_EQ(at(shifted_ramp<double, 0, 1, 0>(sides), 1, 2, 1), -2);
}

TEST(Boundary, FieldsMayDifferFromTheirGrid) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {3, 3, 3}, .boundary = mirror});
  Field<double> u(grid, "u"), v(grid, "v");
  u.fill(ramp);
  u.boundary(Axis::x, Side::low, constant(42));
  Program step("shift");
  step.apply(Shift<-1, 0, 0>{}, in(u), out(v));
  StepClock clock;
  Engine(step).run(1, clock);
  EXPECT_EQ(v.get({0, 1, 1}), 42);
}

template <class T>
class BoundaryOfType : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::int32_t, half, float, double>;
TYPED_TEST_SUITE(BoundaryOfType, Types);

TYPED_TEST(BoundaryOfType, IsComputedInItsArithmetic) {
  const auto number = [](TypeParam value) {
    return static_cast<double>(static_cast<ArithmeticOf<TypeParam>>(value));
  };
  const auto low = [&](const BoundaryCondition& c) {
    return number(at(shifted_ramp<TypeParam, -1, 0, 0>({c, mirror, mirror}), 0, 0, 0));
  };
  EXPECT_EQ(low(constant(7)), 7);
  EXPECT_EQ(low(mirror), 1);
  EXPECT_EQ(low(wall_value(5)), 9);
  EXPECT_EQ(low(gradient(4)), 3);
  EXPECT_EQ(low(custom([](const GhostCell& g) { return g.inside(2) + g.depth; })), 3);
}

TEST(Boundary, NarrowIntegersWrap) {
  const auto low = [](const BoundaryCondition& c) {
    return at(shifted_ramp<std::uint8_t, -1, 0, 0>({c, mirror, mirror}), 0, 0, 0);
  };
  EXPECT_EQ(low(wall_value(200)), (400 - 1) % 256);
  EXPECT_EQ(low(gradient(-4)), 255);
  const auto deep = [](const BoundaryCondition& c) {
    return at(shifted_ramp<std::int32_t, -1, 0, 0>({c, mirror, mirror}), 0, 0, 0);
  };
  EXPECT_EQ(deep(wall_value(1.5e9)), static_cast<std::int32_t>(3'000'000'000u) - 1);
  EXPECT_EQ(deep(wall_value(-1073741824)), 2147483647);  // INT_MIN - 1
}

TEST(Boundary, CustomSeesGhostCellAndInside) {
  std::vector<GhostCell> seen;
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {4, 1, 1},
                      .spacing = 0.5,
                      .origin = {10, 20, 30},
                      .boundary = {mirror, mirror, mirror}});
  Field<double> u(grid, "u"), v(grid, "v");
  u.fill(ramp);
  u.boundary(Axis::x, Side::high, custom([&](const GhostCell& g) {
               seen.push_back(g);
               return 100.0 * g.inside(g.depth);
             }));
  Program step("shift");
  step.apply(Shift<2, 0, 0>{}, in(u), out(v));
  StepClock clock;
  clock.time = 2.5;
  Engine(step).run(1, clock);
  EXPECT_EQ(v.get({2, 0, 0}), 400);
  EXPECT_EQ(v.get({3, 0, 0}), 300);
  ASSERT_GE(seen.size(), 2u);
  EXPECT_EQ(seen[0].depth, 1);
  EXPECT_EQ(seen[1].depth, 2);
  EXPECT_EQ(seen[1].index, (Index3{5, 0, 0}));
  EXPECT_EQ(seen[1].position, (Real3{10 + 5.5 * 0.5, 20.25, 30.25}));
  EXPECT_EQ(seen[1].time, 2.5);
  EXPECT_EQ(seen[1].available, 4);
  EXPECT_EQ(seen[1].inside(1), 4);
  EXPECT_EQ(seen[1].inside(4), 1);
}

SettingsProduct several() {
  SettingsProduct product;
  product.cuts = {{"", "", ""}, {"", "8,9", "8,10"}, {"90,111", "", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.steps_per_exchange = {1, 2, 3};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.temporal_blocking = {0, 2};
  product.recompute = {false, true};
  return product;
}

Results with_custom(const Settings& settings, const BoundaryCondition& rule) {
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = {201, 17, 18}, .boundary = {rule, mirror, rule}});
  Field<double> u(grid, "u"), next(grid, "next");
  u.fill([](Index3 p) { return static_cast<double>((p[0] * 7 + p[1] * 13 + p[2] * 29) % 31); });
  Program step("diffuse");
  step.apply(Diffuse{}, in(u), out(next));
  step.swap(u, next);
  StepClock clock;
  clock.dt = 0.25;
  Engine(step).run(5, clock);
  return {{"u", u.checksum()}};
}

TEST(Boundary, CustomRulesMayReadDeepInside) {
  const auto rule = custom([](const GhostCell& g) { return 0.5 * g.inside(8) + g.inside(1); });
  test::expect_same_bits([&](const Settings& s) { return with_custom(s, rule); }, several().all());
}

TEST(Boundary, CustomRulesSeeTheTimeOfTheStepThatReadsThem) {
  const auto rule = custom([](const GhostCell& g) { return g.time * g.inside(1); });
  test::expect_same_bits([&](const Settings& s) { return with_custom(s, rule); }, several().all());
}

/// The rule's clock moves on although the field does not change.
struct Follow {
  GOBAN_FUNCTION void operator()(auto still, auto u) const {
    u = 0.5 * u() + still(1, 0, 0) + still(0, 1, 0);
  }
};

TEST(Boundary, CustomRulesSeeTheTimeBesideFieldsThatAreOnlyRead) {
  const auto rule = custom([](const GhostCell& g) { return g.time + g.inside(1); });
  const auto run = [&](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {20, 17, 18}, .boundary = {rule, rule, mirror}});
    Field<double> still(grid, "still"), u(grid, "u");
    still.fill(1);
    u.fill(0);
    Program step("follow");
    step.apply(Follow{}, in(still), inout(u));
    StepClock clock;
    Engine engine(step);
    engine.run(2, clock);
    engine.run(3, clock);
    // The last cell sees 1 + time at two walls: 2 (1 + t) at t = 0 ... 4, halved each step.
    EXPECT_EQ(u.get({19, 16, 0}), 10 + 8 / 2.0 + 6 / 4.0 + 4 / 8.0 + 2 / 16.0);
    return Results{{"u", u.checksum()}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"", "8,9", "8,10"}, {"9,11", "", ""}};
  test::expect_same_bits(run, product.all());
}

TEST(Boundary, CustomRulesSeeTheOwnersIndexBeyondPeriodicEdges) {
  const auto rule = custom([](const GhostCell& g) {
    return g.inside(1) + static_cast<double>(g.index[0]) + 0.5 * g.position[2];
  });
  const auto run = [&](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {20, 17, 18}, .boundary = {periodic, rule, periodic}});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(ramp);
    Program step("diffuse");
    step.apply(Diffuse{}, in(u), out(next));
    step.swap(u, next);
    StepClock clock;
    Engine(step).run(5, clock);
    return Results{{"u", u.checksum()}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"", "8,9", "8,10"}, {"9,11", "", ""}};
  test::expect_same_bits(run, product.all());
}

/// The ghosts of `c` are made right before those of `still`, for an earlier step.
struct Settle {
  GOBAN_FUNCTION void operator()(auto still, auto b, auto c) const {
    b = still(1, 0, 0);
    c = 0.5 * c() + still();
  }
};

TEST(Boundary, CustomRulesSeeTheTimeOfTheirStepBesideGhostsOfTheStepBefore) {
  const auto rule = custom([](const GhostCell& g) { return g.time; });
  const auto run = [&](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {8, 12, 5}, .boundary = {mirror, periodic, periodic}});
    Field<double> still(grid, "still", {Location::face_x}), b(grid, "b", {Location::face_x});
    Field<double> c(grid, "c");
    still.boundary(Axis::x, Side::high, rule);
    still.fill(1);
    b.fill(ramp);
    c.fill(ramp);
    Program step("settle");
    step.apply(Settle{}, in(still), out(b), inout(c)).over(Box{{7, 0, 0}, {9, 12, 5}});
    StepClock clock;
    Engine(step).run(4, clock);
    EXPECT_EQ(b.get({8, 3, 2}), 3);
    return Results{{"b", b.checksum()}, {"c", c.checksum()}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"", "5,7", ""}};
  test::expect_same_bits(run, product.all());
}

struct SpreadXZ {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5 * u() + 0.125 * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 0, 1) + u(0, 0, -1));
  }
};

/// Nothing is read beyond the walls along y; that they are set must not spoil those along z.
TEST(Boundary, WhereWallsMeetTheLastAxisWins) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {18, 4, 20}, .boundary = {mirror, wall_value(2), wall_value(3)}});
    Field<double> u(grid, "u", {Location::edge_x}), next(grid, "next", {Location::edge_x});
    u.fill(ramp);
    next.fill(ramp);
    Program step("spread");
    step.apply(SpreadXZ{}, in(u), out(next)).over(Box{{0, 0, 9}, {18, 5, 11}});
    step.swap(u, next);
    StepClock clock;
    Engine(step).run(2, clock);
    for (const auto& field : {u, next}) {
      EXPECT_EQ(field.get({5, 0, 7}), 2) << test::options_of(settings);
      EXPECT_EQ(field.get({5, 0, 0}), 3) << test::options_of(settings);
      EXPECT_EQ(field.get({5, 4, 20}), 3) << test::options_of(settings);
    }
    return Results{{"u", u.checksum()}, {"next", next.checksum()}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"9,9", "", ""}, {"", "", "9,11"}};
  test::expect_same_bits(run, product.all());
}

/// With one cell between the walls, ghosts beyond one of them are made of the other.
TEST(Boundary, GhostsSeeTheFarWallAfterItWasSet) {
  for (const BoundaryCondition& low :
       {mirror, custom([](const GhostCell& g) { return g.inside(1) + g.available - 1; })}) {
    const auto run = [&](const Settings& settings) {
      Runtime runtime(settings);
      Grid grid(runtime, {.cells = {1, 9, 70}, .boundary = mirror});
      Field<double> u(grid, "u", {Location::face_x}), v(grid, "v", {Location::face_x});
      u.boundary(Axis::x, Side::low, low);
      u.boundary(Axis::x, Side::high, wall_value(0.5));
      u.fill(ramp);
      v.fill(0);
      Program step("shift");
      step.apply(Shift<-1, 0, 0>{}, in(u), out(v));
      step.apply(Shift<0, 1, 0>{}, in(v), out(u));
      StepClock clock;
      Engine(step).run(3, clock);
      EXPECT_EQ(v.get({0, 4, 5}), 0.5) << test::options_of(settings);
      return Results{{"u", u.checksum()}, {"v", v.checksum()}};
    };
    SettingsProduct product = several();
    product.cuts = {{"", "", ""}, {"", "", "35,35"}};
    product.steps_per_exchange = {1};
    product.temporal_blocking = {0};
    product.recompute = {false};
    test::expect_same_bits(run, product.all());
  }
}

TEST(Boundary, ConditionsMayChangeBetweenRuns) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {20, 17, 18}, .boundary = mirror});
    Field<double> u(grid, "u"), next(grid, "next"), still(grid, "still");
    u.fill(ramp);
    still.fill(1);
    Program step("step");
    step.apply(Diffuse{}, in(u), out(next));
    step.apply(Diffuse{}, in(still), out(u));
    StepClock clock;
    Engine engine(step);
    engine.run(1, clock);
    EXPECT_DOUBLE_EQ(u.get({0, 0, 0}), 1);
    still.boundary(Axis::x, Side::low, constant(11));
    engine.run(1, clock);
    EXPECT_DOUBLE_EQ(u.get({0, 0, 0}), 2);
    still.boundary(Axis::x, Side::low, custom([](const GhostCell&) { return 21.0; }));
    engine.run(1, clock);
    EXPECT_DOUBLE_EQ(u.get({0, 0, 0}), 3);
    return Results{{"u", u.checksum()}};
  };
  test::expect_same_bits(run, {test::plain_schedule(), Settings{.threads = 1}});
}

/// Faces that are only read where they are still meet the wall value.
struct Carry {
  GOBAN_FUNCTION void operator()(auto face, auto u) const { u += 0.1 * face(); }
};
struct Spread {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = 0.5 * (u(1, 0, 0) + u(-1, 0, 0));
  }
};

TEST(Boundary, WallFacesAreTheSameWhetherOrNotGhostsAreNeeded) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {20, 17, 18}, .boundary = mirror});
    const BoundarySet walls(wall_value(3), wall_value(4), wall_value(5));
    Field<double> face(grid, "face", {Location::face_x, &walls});
    Field<double> u(grid, "u"), next(grid, "next");
    face.fill(ramp);
    u.fill(ramp);
    Program step("carry");
    step.apply(Carry{}, in(face), inout(u));
    step.apply(Spread{}, in(u), out(next));
    step.swap(u, next);
    StepClock clock;
    Engine(step).run(5, clock);
    return Results{{"u", u.checksum()}, {"face", face.checksum()}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"", "8,9", "8,10"}, {"9,11", "", ""}};
  test::expect_same_bits(run, product.all());
}

/// A patch of n faces without the last wall has no face n to mirror.
struct FollowFar {
  GOBAN_FUNCTION void operator()(auto face, auto next) const {
    next = 0.5 * (face(-2, 0, 0) + face(2, 0, 0));
  }
};

TEST(Boundary, GhostFacesMirrorFacesOfTheirOwnPatchOrAreRefused) {
  const auto run = [](const char* cut) {
    Settings settings = test::plain_schedule();
    settings.cuts = {cut, "", ""};
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {9, 5, 4}, .boundary = mirror});
    Field<double> face(grid, "face", {Location::face_x}), next(grid, "next", {Location::face_x});
    face.fill(ramp);
    Program step("far");
    step.apply(FollowFar{}, in(face), out(next));
    step.swap(face, next);
    StepClock clock;
    Engine(step).run(3, clock);
    return face.checksum();
  };
  EXPECT_EQ(run("3,3,3"), run(""));
  EXPECT_EQ(run("3,4,2"), run(""));
  EXPECT_EQ(
      test::error_of([&] { run("2,4,3"); }),
      "boundary of field 'face' does not fit (it needs 2 faces beside the wall, the patch has "
      "1 along x); use fewer patches");
}

}  // namespace
}  // namespace goban::boundary_test
