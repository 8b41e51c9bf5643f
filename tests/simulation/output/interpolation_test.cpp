// Values between cells: at points, along lines, on planes.

#include "goban/simulation/output/interpolation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "goban/goban.hpp"
#include "goban/io/file/csv.hpp"
#include "goban/io/snapshot/snapshot_writer.hpp"
#include "tests/simulation/small_run.hpp"

namespace goban::interpolation_test {
namespace {

constexpr double linear(double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z; }

class Interpolation : public SmallRuns {
 protected:
  static std::vector<double> at(const AnyField& field, std::vector<Position> points) {
    return interpolated(field, points);
  }
};

TEST_F(Interpolation, OfALinearFieldIsExact) {
  for (const Index3 patches : {Index3{1, 1, 1}, {2, 1, 2}}) {
    Settings settings;
    settings.patches = patches;
    Runtime runtime(settings);
    Grid grid(runtime,
              {.cells = {8, 6, 4}, .spacing = 0.5, .origin = {-1, 0, 2}, .boundary = constant(0)});
    Field<double> u(grid, "u");
    u.fill([](Position p) { return linear(p.x, p.y, p.z); });
    for (const Position p : {Position{0.1, 1.3, 3.3}, {-0.75, 0.25, 2.25}, {2.7, 2.6, 3.7}}) {
      EXPECT_NEAR(at(u, {p})[0], linear(p.x, p.y, p.z), 1e-12);
    }
    // Beyond the outermost centres these go on.
    EXPECT_NEAR(at(u, {{-1, 1.3, 3.3}})[0], linear(-0.75, 1.3, 3.3), 1e-12);
    EXPECT_NEAR(at(u, {{0.1, 1.3, 4}})[0], linear(0.1, 1.3, 3.75), 1e-12);
  }
}

TEST_F(Interpolation, ClosesTheRingOfPeriodicAxes) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {4, 1, 1}, .boundary = periodic});
  Field<float> u(grid, "u");
  u.fill([](Index3 i) { return static_cast<float>(i[0]); });
  EXPECT_EQ(at(u, {{0, 0.5, 0.5}, {3.75, 0.5, 0.5}, {4, 0.5, 0.5}}),
            (std::vector<double>{1.5, 2.25, 1.5}));
}

TEST_F(Interpolation, TakesNothingFromCellsThatDoNotCount) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {3, 1, 1}, .spacing = 0.1});
  Field<float> u(grid, "u");
  u.fill([](Index3 i) {
    return i[0] == 2 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i[0]);
  });
  EXPECT_EQ(at(u, {{0.15, 0.05, 0.05}})[0], 1);
  EXPECT_TRUE(std::isnan(at(u, {{0.2, 0.05, 0.05}})[0]));
  Field<std::uint8_t> stones(grid, "stones");
  stones.fill([](Index3 i) { return static_cast<std::uint8_t>(7 * i[0]); });
  EXPECT_EQ(at(stones, {{0.09, 0, 0}, {0.11, 0, 0}}), (std::vector<double>{0, 7}));
}

TEST_F(Interpolation, OfProbesLinesAndPlanesOfARun) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 6, 4}, .spacing = 0.5});
  Field<double> u(grid, "u"), next(grid, "next");
  Field<float, 2> pair(grid, "pair");
  u.fill([](Position p) { return linear(p.x, p.y, p.z); });
  pair.fill([](Position p, int component) { return component == 0 ? p.x : 7.0; });
  Program step("keep");
  step.apply(Square{}, in(u), out(next));
  Simulation simulation(
      grid, step, {.steps = 4, .directory = root_, .length_unit = "m", .measure_bandwidth = false});
  simulation.probe({{u, "K"}}, {{1.1, 1.2, 0.9}}, every(4))
      .line("diagonal", {{u, "K"}, pair}, {.from = {0.5, 0.5, 0.5}, .to = {3.5, 2.5, 1.5}},
            every(2))
      .plane("cut", {{u, "K"}}, {.axis = Axis::z, .position = 0.9}, at_end());
  simulation.run();

  const CsvTable probe = read_csv(root_ / "keep_probes.csv");
  EXPECT_NEAR(probe.values.back()[0], linear(1.1, 1.2, 0.9), 1e-12);

  for (const char* name : {"0", "2", "4"}) {
    const CsvTable line = read_csv(root_ / ("keep_diagonal.000000" + std::string(name) + ".csv"));
    ASSERT_EQ(line.rows(), 7) << "one for each cell of 3 m, and one more";
    EXPECT_EQ(line.columns[0].unit, "m");
    EXPECT_EQ(line.columns[4].name, "u");
    EXPECT_EQ(line.columns[4].unit, "K");
    EXPECT_EQ(line.columns[6].name, "pair[1]");
    EXPECT_DOUBLE_EQ(line.values[0].back(), std::sqrt(9.0 + 4 + 1));
    for (std::size_t n = 0; n < 7; ++n) {
      const auto value = [&](std::size_t c) { return line.values[c][n]; };
      EXPECT_NEAR(value(4), linear(value(1), value(2), value(3)), 1e-12) << n;
      EXPECT_NEAR(value(5), value(1), 1e-6) << n;
      EXPECT_EQ(value(6), 7) << n;
    }
  }

  if (!have_hdf5()) return;
  const StoredSnapshot plane = read_snapshot(root_ / "keep_cut.0000004.vtkhdf");
  ASSERT_EQ(plane.fields.size(), 1u);
  EXPECT_EQ(plane.fields[0].extents, (Index3{8, 6, 1}));
  EXPECT_DOUBLE_EQ(plane.origin[2] + plane.spacing[2] / 2, 0.9);
  EXPECT_EQ(plane.length_unit, "m");
  EXPECT_NEAR(plane.fields[0].at(3, 2, 0), linear(1.75, 1.25, 0.9), 1e-12);
}

TEST_F(Interpolation, RefusesWhatLiesOutside) {
  SmallRun run({.directory = root_});
  Simulation& simulation = run.simulation();
  EXPECT_THROW(simulation.line("a", {run.u()}, {{0, 0, 0}, {99, 0, 0}}, every(1)), Error);
  EXPECT_THROW(simulation.line("a", {run.u()}, {{1, 1, 1}, {1, 1, 1}}, every(1)), Error);
  EXPECT_THROW(simulation.line("a", {run.u()}, {{1, 1, 1}, {2, 1, 1}, 1}, every(1)), Error);
  EXPECT_THROW(simulation.line("a", {}, {{1, 1, 1}, {2, 1, 1}}, every(1)), Error);
  EXPECT_THROW(simulation.plane("a", {run.u()}, {.position = 99}, every(1)), Error);
  EXPECT_THROW(simulation.plane("a", {}, {}, every(1)), Error);
}

}  // namespace
}  // namespace goban::interpolation_test
