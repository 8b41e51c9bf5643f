// Sides that follow a larger model: from arrays with times, and from a coarser run.

#include "atmosphere/larger.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "goban/io/file/npy.hpp"
#include "tests/apps/atmosphere_ways.hpp"
#include "tests/error_text.hpp"

namespace goban::atmosphere::atmosphere_larger_test {
namespace {

const GridOptions space{.cells = {20, 6, 8}, .spacing = {1000, 1000, 1000}};

/// Uniform wind of 10, 14 and 12 m/s and air 0, 2 and 2 K warmer after 0, 100 and 300 s; or what
/// varies in space, after 0, 6 and 10 s.
void write_series(const std::filesystem::path& folder, bool is_uniform) {
  std::ofstream(folder / "side.csv")
      << (is_uniform ? "time [s]\n0\n100\n300\n" : "time [s]\n0\n6\n10\n");
  const std::array<double, 3> wind{10, 14, 12}, warmer{0, 2, 2};
  for (int n = 0; n < 3; ++n) {
    const auto write = [&](const std::string& name, const auto& value) {
      Array all(ElementType::float64, space.cells);
      auto values = all.as<double>();
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
      write_npy(folder / ("side." + std::to_string(n) + "." + name + ".npy"), all.view());
    };
    const double turn = is_uniform ? 0 : 1;
    const auto at = [](std::size_t i, double scale) {
      return scale * std::sin(0.37 * static_cast<double>(i));
    };
    const auto k = static_cast<std::size_t>(n);
    write("u", [&](std::size_t i) { return wind[k] + turn * at(i, 1); });
    write("v", [&](std::size_t i) { return turn * at(i, 2 + n); });
    write("theta_deviation", [&](std::size_t i) { return warmer[k] + turn * at(i, 0.3); });
    write("pressure_deviation", [&](std::size_t i) { return turn * at(i, 5); });
    write("vapor", [&](std::size_t) { return 1e-3 * (1 + n); });
    write("w", [&](std::size_t i) { return turn * at(i, 0.1); });
  }
}

Model between_larger(const std::filesystem::path& folder) {
  Model model;
  model.stability = 0.01;
  model.wind = {10, 0};
  model.sponge_depth = 2000;
  model.sides.kind[0] = {SideKind::larger, SideKind::larger};
  model.sides.depth = 3000;
  model.sides.rate = 0.1;
  model.sides.larger = (folder / "side.csv").string();
  model.dt = 2.5;
  model.short_steps = model.usual_short_steps(model.dt, space.spacing.value);
  return model;
}

TEST(AtmosphereLarger, AirBesideSidesFollowsArraysLinearlyInTime) {
  const test::ScratchFolder folder;
  write_series(folder.path(), true);
  Model model = between_larger(folder.path());
  model.gravity = 0;  // theta alone, without what it lifts
  SmallAtmosphere<3, double> air(model, space);
  for (const auto& [time, wind, warmer] :
       {std::tuple{50.0, 12.0, 1.0}, std::tuple{100.0, 14.0, 2.0}, std::tuple{200.0, 13.0, 2.0}}) {
    air.run_until(time - air.clock.time);
    air.observe();
    for (const Index i : {Index{0}, Index{19}}) {
      const auto u = air.step.velocity.copy_out({{i, 2, 4}, {i + 1, 3, 5}});
      EXPECT_NEAR(u[0], wind, 0.5) << time << " s, " << i;
      EXPECT_NEAR(air.step.theta_deviation.get({i, 2, 4}), warmer, 0.4) << time << " s, " << i;
    }
  }
}

TEST(AtmosphereLarger, AirBeginsAsArraysSayBetweenTheirTimes) {
  const test::ScratchFolder folder;
  write_series(folder.path(), true);
  Model model = between_larger(folder.path());
  model.humidity = {.kind = Humidity::Kind::relative, .ground = 0.6, .aloft = 0.3};
  model.sides.begins_as_larger = true;
  model.sides.larger_time = 50;
  SmallAtmosphere<3, double> air(model, space);
  air.observe();
  for (const Index3 cell : {Index3{0, 2, 4}, Index3{10, 3, 0}, Index3{17, 5, 7}}) {
    const auto [i, j, k] = cell;
    const auto wind = air.step.velocity.copy_out({cell, {i + 1, j + 1, k + 1}});
    EXPECT_NEAR(wind[0], 12, 1e-11);
    EXPECT_NEAR(wind[1], 0, 1e-11);
    EXPECT_NEAR(air.step.theta_deviation.get(cell), 1, 1e-10);
    EXPECT_NEAR(air.step.pressure_deviation.get(cell), 0, 1e-9);
    const double share = 0.5 * (1e-3 / (1 + 1e-3) + 2e-3 / (1 + 2e-3));  // of all there is
    EXPECT_NEAR(air.step.water->ratio.vapor.get(cell), share / (1 - share), 1e-12);
  }
  model.sides.kind[0] = {SideKind::open, SideKind::wall};  // whose sides it does not lead
  SmallAtmosphere<3, double> inside(model, space);
  inside.observe();
  EXPECT_NEAR(inside.step.theta_deviation.get({10, 3, 0}), 1, 1e-10);
  EXPECT_EQ(inside.step.now.x.get({20, 3, 3}), 0);
}

TEST(AtmosphereLarger, TimesAreFoundAndFilesThatDoNotFitAreRefused) {
  const test::ScratchFolder folder;
  write_series(folder.path(), true);
  const Model model = between_larger(folder.path());
  Runtime runtime(one_thread());
  Grid grid(runtime, space);
  const Levels levels(model, *grid.state());
  LargerModel larger(model.sides.larger, levels, *grid.state());
  EXPECT_EQ(larger.times(), (std::vector<double>{0, 100, 300}));
  EXPECT_EQ(larger.before(-1), 0u);
  EXPECT_EQ(larger.before(100), 1u);
  EXPECT_EQ(larger.before(1000), 1u);
  EXPECT_EQ(larger.share(150), 0.25);
  EXPECT_EQ(larger.share(1000), 1);
  larger.read(2, true);
  EXPECT_EQ(larger.at(LargerModel::Value::u, {3, 2, 1}), 12);
  EXPECT_EQ(larger.at(LargerModel::Value::vapor, {3, 2, 1}), 3e-3);
  EXPECT_EQ(larger.at(LargerModel::Value::rain, {3, 2, 1}), 0);
  write_npy(folder.path() / "side.1.u.npy", Array(ElementType::float64, {4, 6, 8}).view());
  EXPECT_THAT(test::error_of([&] { larger.read(1, false); }),
              testing::HasSubstr("it has 4 x 6 x 8 values"));
  std::ofstream(folder.path() / "side.csv") << "time [s]\n0\n";
  EXPECT_THAT(test::error_of([&] { LargerModel(model.sides.larger, levels, *grid.state()); }),
              testing::HasSubstr("it has 1 times"));
}

#ifdef GOBAN_HAVE_HDF5

/// A slice of this part of x in cells of this length.
GridOptions part_of(double from, double to, double dx) {
  return {.cells = {std::lround((to - from) / dx), 1, 12},
          .spacing = {dx, dx, 800},
          .origin = {from, 0, 0}};
}
/// Stable air with a warm blob that the wind carries along.
Model with_blob(const GridOptions& grid) {
  Model model;
  model.stability = 0.01;
  model.wind = {20, 0};
  model.sponge_depth = 2500;
  model.bubbles = {{.amplitude = 1, .center = {-22e3, 0, 3500}, .radius = {6000, 0, 2000}}};
  return timed(model, grid, 2, 960);
}

/// A wide run to 960 s that leaves snapshots every minute.
struct CoarseRun {
  explicit CoarseRun(const std::filesystem::path& folder) {
    Simulation simulation(grid, step.program(),
                          {.steps = std::lround(960 / model.dt),
                           .dt = model.dt,
                           .directory = folder.string(),
                           .measure_bandwidth = false});
    simulation.derive(step.observation());
    simulation.output({step.theta_deviation, step.pressure_deviation, step.velocity},
                      every_time(60) | at_times({0}) | at_end());
    simulation.run();
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".xdmf") index = entry.path().string();
    }
  }
  /// A model of a part of it that follows it.
  Model nest(const GridOptions& small) const {
    Model nest = with_blob(small);
    nest.sides.kind[0] = {SideKind::larger, SideKind::larger};
    nest.sides.depth = 3000;
    nest.sides.rate = 0.05;
    nest.sides.larger = index;
    return nest;
  }
  static GridOptions with_boundary(GridOptions options, const Model& model) {
    options.boundary = model.sides.boundary();
    return options;
  }

  Model model = with_blob(part_of(-40e3, 40e3, 1000));
  Runtime runtime{one_thread()};
  Grid grid{runtime, with_boundary(part_of(-40e3, 40e3, 1000), model)};
  AtmosphereStep<2, double> step{grid, model};
  std::string index;
};

struct Agreement {
  double correlation, amplitude;
};
/// What pairs of a nest's columns say on average, beside the coarser run's, from x = -12 km on.
template <int C>
Agreement agreement(const Slice& fine, const Field<double, C>& field, int component = 0) {
  double product = 0, of_fine = 0, of_coarse = 0;
  const auto coarse = field.copy_out();
  for (Index k = 0; k < fine.nz; ++k) {
    for (Index i = 0; i < fine.nx / 2; ++i) {
      const double a = (fine.at(2 * i, k) + fine.at(2 * i + 1, k)) / 2;
      const double b = coarse[static_cast<std::size_t>(28 + i + 80 * (k + fine.nz * component))];
      product += a * b;
      of_fine += a * a;
      of_coarse += b * b;
    }
  }
  return {product / std::sqrt(of_fine * of_coarse), std::sqrt(of_fine / of_coarse)};
}
void record(const std::string& of, const Agreement& found) {
  testing::Test::RecordProperty(
      of, std::to_string(found.correlation) + ", amplitude " + std::to_string(found.amplitude));
}

const GridOptions small = part_of(-12e3, 18e3, 500);

/// A blob enters the small domain through its side.
TEST(AtmosphereLarger, ANestSeesWhatTheCoarserRunSends) {
  const test::ScratchFolder folder;
  const CoarseRun coarse(folder.path());
  SmallAtmosphere<2, double> fine(coarse.nest(small), small);
  fine.run_until(960);
  fine.observe();
  const Agreement found = agreement(fine.theta(), coarse.step.theta_deviation);
  record("theta", found);
  EXPECT_GT(found.correlation, 0.95);
  EXPECT_NEAR(found.amplitude, 1, 0.1);
}

/// A nest that begins in the middle of the coarser run has its blob at once, and goes on as it does
/// without a shock: pressure, which sound would upset, is that of the coarser run after a minute.
TEST(AtmosphereLarger, ANestBeginsAsTheCoarserRunIs) {
  const test::ScratchFolder folder;
  const CoarseRun coarse(folder.path());
  for (const double seconds : {0.0, 60.0}) {
    Model nest = coarse.nest(small);
    nest.bubbles.clear();
    nest.sides.begins_as_larger = true;
    nest.sides.larger_time = 960 - seconds;
    SmallAtmosphere<2, double> fine(nest, small);
    fine.run_until(seconds);
    fine.observe();
    const auto check = [&](const std::string& name, const Agreement& found, double least) {
      record(name + " after " + std::to_string(std::lround(seconds)) + " s", found);
      EXPECT_GT(found.correlation, seconds > 0 ? least : 0.995) << name << ' ' << seconds;
      EXPECT_NEAR(found.amplitude, 1, 0.08) << name << ' ' << seconds;
    };
    check("theta", agreement(fine.theta(), coarse.step.theta_deviation), 0.99);
    check("p", agreement(fine.slice(fine.step.pressure_deviation), coarse.step.pressure_deviation),
          0.96);
    check("w", agreement(fine.w(), coarse.step.velocity, 2), 0.98);
  }
}

#endif

test::Experiment experiment(const Model& model) {
  return [=](const Settings& settings) {
    SmallAtmosphere<3, double> air(model, space, settings);
    air.run(4);
    test::Results results;
    const auto put = [&](const Field<double>& field) { results[field.name()] = field.checksum(); };
    for (const auto& field : {air.step.now.density, air.step.now.heat, air.step.now.x,
                              air.step.now.y, air.step.now.z}) {
      put(field);
    }
    for (const auto& field : air.step.water->now.all()) put(field);
    return results;
  };
}

TEST(AtmosphereLarger, BitsAreTheSameEveryWayAndAfterARestart) {
  const test::ScratchFolder folder;
  write_series(folder.path(), false);
  Model model = between_larger(folder.path());
  model.sides.kind[1] = {SideKind::larger, SideKind::open};
  model.sides.begins_as_larger = true;
  model.sides.larger_time = 2;
  model.humidity = {.kind = Humidity::Kind::relative, .ground = 0.6, .aloft = 0.3};
  test::expect_same_bits(experiment(model), ways({{"", "", ""}, {"9,11", "", ""}}, {false}, 23));
  expect_the_same_after_a_restart(model, space);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_larger_test
