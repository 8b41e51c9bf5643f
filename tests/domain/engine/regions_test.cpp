// Stages over a part of the grid, and where a mask is set.

#include <bit>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/diffusion.hpp"
#include "tests/domain/several_settings.hpp"

namespace goban::regions_test {
namespace {

using test::pattern;
using test::Results;
using test::SettingsProduct;
using test::several;
using Diffuse = test::Diffusion<double>;

struct AddOne {
  GOBAN_FUNCTION void operator()(auto u) const { u += 1.0; }
};

TEST(Regions, KeepTheCellsOutside) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {6, 5, 4}, .boundary = mirror});
  Field<double> u(grid, "u");
  u.fill(0);
  Program step("add");
  step.apply(AddOne{}, inout(u)).over({{1, 2, 3}, {4, 5, 4}});
  StepClock clock;
  Engine(step).run(2, clock);
  EXPECT_EQ(u.sum(), 2 * 3 * 3 * 1);
  EXPECT_EQ(u.get({1, 2, 3}), 2);
  EXPECT_EQ(u.get({0, 2, 3}), 0);
  EXPECT_EQ(u.get({4, 2, 3}), 0);
}

TEST(Regions, CountByTheirShareOfTheGrid) {
  Runtime runtime(test::plainest());
  Grid grid(runtime, {.cells = {6, 5, 4}, .boundary = mirror});
  Field<double> u(grid, "u");
  Program step("add");
  step.apply(AddOne{}, inout(u));
  step.apply(AddOne{}, inout(u)).over({{0, 0, 3}, {7, 6, 5}});  // ends beyond count for nothing
  const Engine engine(step);
  EXPECT_EQ(engine.work_per_update().bytes, 16 + 16.0 / 4);
  EXPECT_EQ(engine.work_per_update().flops, 1 + 1.0 / 4);
}

TEST(Regions, AtPeriodicEdgesAreRecomputedInGhosts) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {periodic, periodic, mirror}});
    Field<double> u(grid, "u"), next(grid, "next");
    u.fill(pattern);
    next.fill(pattern);
    Program step("edge");
    step.apply(Diffuse{0.125}, in(u), out(next)).over({{0, 1, 0}, {2, 13, 9}});
    step.apply(Diffuse{0.0625}, in(u), out(next)).over({{9, 0, 1}, {14, 12, 8}});
    step.swap(u, next);
    StepClock clock;
    Engine(step).run(7, clock);
    return Results{{"u", u.checksum()}, {"next", next.checksum()}};
  };
  test::expect_same_bits(run, several().all());
}

/// 3 u + 5 c(ghost) + c.
struct AtTheWall {
  GOBAN_FUNCTION auto operator()(auto u, auto c) const { return 3 * u() + 5 * c() + c(-1, 0, 0); }
};
struct SetAtTheWall {
  GOBAN_FUNCTION void operator()(auto c, auto u) const { u += 5 * c() + c(-1, 0, 0); }
};

/// The ghosts of cells behind them are made, whichever way the grid is cut.
TEST(Regions, OfTheLastWallFacesAloneReadBehindThem) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {14, 13, 9}, .boundary = {mirror, periodic, mirror}});
    Field<double> c(grid, "c"), u(grid, "u", {.location = Location::face_x});
    for (const Side side : both_sides) c.boundary(Axis::x, side, constant(7));
    c.fill(pattern);
    u.fill(2);
    Parameter<double> total("total");
    const Box faces{{14, 0, 0}, {15, 13, 9}};
    Program step("walls");
    step.apply(AddOne{}, inout(c));
    step.apply(SetAtTheWall{}, in(c), inout(u)).over(faces);
    step.reduce(AtTheWall{}, in(u), in(c), sum, into(total)).over(faces);
    StepClock clock;
    Engine(step).run(3, clock);
    return Results{{"u", u.checksum()}, {"total", std::bit_cast<std::uint64_t>(total.value())}};
  };
  test::expect_same_bits(run, several().all());
}

TEST(Masks, KeepTheOtherCells) {
  const auto run = [](const Settings& settings) {
    Runtime runtime(settings);
    Grid grid(runtime, {.cells = {70, 13, 9}, .boundary = {periodic, mirror, constant(1)}});
    Field<double> u(grid, "u"), next(grid, "next");
    Field<std::uint8_t> mask(grid, "mask");
    u.fill(pattern);
    next.fill([](Index3 p) { return -pattern(p); });
    mask.fill([](Index3 p) { return (p[0] * p[1] + p[2]) % 3 == 1 ? 200 : 0; });
    Program step("masked");
    step.apply(Diffuse{0.125}, in(u), out(next)).where(mask);
    step.swap(u, next);
    StepClock clock;
    Engine engine(step);
    engine.run(1, clock);
    for (Index3 p : {Index3{1, 1, 1}, Index3{69, 12, 8}, Index3{1, 1, 0}, Index3{64, 1, 0}}) {
      EXPECT_EQ(u.get(p) == -pattern(p), mask.get(p) == 0) << p[0];
    }
    engine.run(6, clock);
    return Results{{"u", u.checksum()}, {"next", next.checksum()}};
  };
  SettingsProduct product = several();
  product.cuts = {{"", "", ""}, {"33,37", "", ""}, {"", "6,7", "5,4"}};
  test::expect_same_bits(run, product.all());
}

}  // namespace
}  // namespace goban::regions_test
