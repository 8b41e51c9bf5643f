// Eddies, sides, ground and sea, what happens in the air around, clouds seen.

#include <gmock/gmock.h>

#include <fstream>

#include "atmosphere/boundary_layer.hpp"
#include "atmosphere/sounding.hpp"
#include "atmosphere/surface.hpp"
#include "atmosphere/turbulence.hpp"
#include "tests/apps/atmosphere_run.hpp"
#include "tests/error_text.hpp"
#include "tests/long.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::atmosphere::atmosphere_physics_test {
namespace {

using ::testing::HasSubstr;

const GridOptions cube{.cells = {12, 10, 12}, .spacing = {200, 250, 100}};

/// nu and kappa of air whose theta changes by this a metre and whose u does by `shear`.
std::array<double, 2> eddies_of(double stability, double shear) {
  Runtime runtime(one_thread());
  Grid grid(runtime, {.cells = {4, 4, 8},
                      .spacing = {200, 250, 100},
                      .boundary = BoundarySet(periodic, periodic, mirror)});
  Field<double> u(grid, "u", {Location::face_x}), v(grid, "v", {Location::face_y}), w(grid, "w"),
      theta(grid, "theta"), stretch(grid, "stretch"), square(grid, "square"), nu(grid, "nu"),
      kappa(grid, "kappa");
  u.fill([&](Index3 at) { return 100 * shear * static_cast<double>(at[2]); });
  theta.fill([&](Index3 at) { return 300 + 100 * stability * (static_cast<double>(at[2]) - 4); });
  for (auto* field : {&v, &w}) field->fill(0);
  stretch.fill(1);
  square.fill(0.18 * 0.18 * std::pow(200 * 250 * 100, 2.0 / 3));
  Program program("eddies");
  const Smagorinsky<3, double> eddies{{1 / 200.0, 1 / 250.0, 1 / 100.0}, 9.81, 2, 3, 0.1};
  program.apply(eddies, in(u), in(v), in(w), in(theta), in(stretch), in(square), out(nu),
                out(kappa));
  StepClock clock;
  Engine(program).run(1, clock);
  return {nu.get({2, 2, 4}), kappa.get({2, 2, 4})};
}

TEST(AtmospherePhysics, EddiesAreSmagorinskysWithTheirRichardsonNumber) {
  const double l2 = 0.18 * 0.18 * std::pow(200 * 250 * 100, 2.0 / 3), shear = 0.02;
  const auto neutral = eddies_of(0, shear);
  EXPECT_NEAR(neutral[0], 2 + l2 * shear, 1e-10);
  EXPECT_NEAR(neutral[1], 3 + l2 * shear / 0.7, 1e-10);
  const double n2 = 4e-5, Ri = n2 / (shear * shear);  // 0.1
  const auto stable = eddies_of(n2 * 300 / 9.81, shear);
  EXPECT_NEAR(stable[0], 2 + l2 * shear * std::pow(1 - 4 * Ri, 4), 1e-9);
  EXPECT_NEAR(stable[1], 3 + l2 * shear * std::pow(1 - 4 * Ri, 4) * (1 - 1.2 * Ri) / 0.7, 1e-9);
  const auto unstable = eddies_of(-n2 * 300 / 9.81, shear);
  EXPECT_NEAR(unstable[0], 2 + l2 * shear * std::sqrt(1 + 16 * Ri), 1e-9);
  EXPECT_NEAR(unstable[1], 3 + l2 * shear * std::sqrt(1 + 40 * Ri) / 0.7, 1e-9);
  EXPECT_EQ(eddies_of(2e-4 * 300 / 9.81, shear)[0], 2);  // Ri = 0.5
  const double most = 0.1 / (1 / 4e4 + 1 / 6.25e4 + 1 / 1e4);
  EXPECT_NEAR(eddies_of(0, 1)[0], most, 1e-9);  // what the step bears
}

/// A wave of v along x, and of theta: each decays as exp(-nu k^2 t), k^2 that of differences.
TEST(AtmospherePhysics, WavesOfWindAndWaterDecayAsDiffusionHasIt) {
  Model model;
  model.gravity = 0;
  model.diffusivity = 5000;
  model.heat_diffusivity = 3000;
  model.humidity = {
      .kind = Humidity::Kind::relative, .ground = 0.2, .aloft = 0.2, .rain = Humidity::Rain::none};
  const GridOptions grid{.cells = {16, 4, 6}, .spacing = {200, 250, 100}};
  SmallAtmosphere<3, double> air(timed(model, grid, 0.5, 40), grid);
  const double turn = 2 * std::acos(-1.0) / 16;
  const auto wave = [&](Index3 at) { return std::sin(turn * (static_cast<double>(at[0]) + 0.5)); };
  auto& step = air.step;
  air.observe();
  const double rho = step.air.density.get({3, 1, 2});
  step.now.y.fill([&](Index3 at) { return 0.01 * rho * wave(at); });
  const double vapor = step.water->now.vapor.get({3, 1, 2});
  step.water->now.vapor.fill([&](Index3 at) { return vapor * (1 + 1e-4 * wave(at)); });
  air.run_until(40);
  const double k2 = std::pow(2 * std::sin(turn / 2) / 200, 2);
  const double left = std::exp(-5000 * k2 * 40), vapor_left = std::exp(-3000 * k2 * 40);
  for (const Index3 at : {Index3{3, 1, 2}, Index3{11, 3, 0}, Index3{6, 2, 5}}) {
    EXPECT_NEAR(step.now.y.get(at) / (0.01 * rho * wave(at)), left, 1e-3 * left);
    EXPECT_NEAR((step.water->now.vapor.get(at) / vapor - 1) / (1e-4 * wave(at)), vapor_left,
                2e-3 * vapor_left);
  }
  EXPECT_LT(left, 0.6);
}

Model windy_hill() {
  Model model;
  model.stability = 0.01;
  model.terrain = {.shape = Terrain::Shape::bell,
                   .height = 150,
                   .half_width = 400,
                   .width_y = 500,
                   .center_x = 1200,
                   .center_y = 1200};
  return model;
}

TEST(AtmospherePhysics, AirAtRestStaysAtRestBetweenAllSides) {
  for (const SideKind kind : {SideKind::open, SideKind::wall, SideKind::base}) {
    Model model = windy_hill();
    model.sides.kind[0] = model.sides.kind[1] = {kind, kind};
    model.sides.depth = 600;
    model.smagorinsky = 0.18;
    model.diffusivity = 10;
    SmallAtmosphere<3, double> air(timed(model, cube, 0.5, 20), cube);
    air.run_until(20);
    air.observe();
    EXPECT_LE(std::abs(air.step.largest_w.value()), 1e-10) << static_cast<int>(kind);
    EXPECT_LE(air.step.velocity.maximum(0), 1e-10) << static_cast<int>(kind);
  }
}

TEST(AtmospherePhysics, BetweenWallsAirIsConserved) {
  Model model = windy_hill();
  model.sides.kind[0] = {SideKind::wall, SideKind::wall};
  model.wind = {5, 2};
  model.smagorinsky = 0.18;
  SmallAtmosphere<3, double> air(timed(model, cube, 0.5, 30), cube);
  air.observe();
  const double before = air.step.added_mass.value();
  air.run_until(30);
  air.observe();
  EXPECT_LE(std::abs(air.step.added_mass.value() - before), 1e-13 * air.step.base_mass.value());
  for (const Index i : {Index{0}, Index{12}}) {
    for (const double U : air.step.now.x.copy_out({{i, 0, 0}, {i + 1, 10, 12}})) EXPECT_EQ(U, 0);
  }
  EXPECT_GT(air.step.largest_w.value(), 0.1);
}

/// w within 10 km of the middle 2400 s after a warm bubble, whose waves have left it by then.
std::vector<double> waves_in_the_middle(double length, SideKind kind, double depth) {
  Model model;
  model.stability = 0.01;
  model.sides.kind[0] = {kind, kind};
  model.sides.depth = depth;
  model.sponge_depth = 0;
  model.bubbles = {{.amplitude = 1, .center = {0, 0, 5000}, .radius = {5000, 0, 2500}}};
  const GridOptions grid = slice_of(length, 10e3, 1000, 500);
  SmallAtmosphere<2, double> air(timed(model, grid, 6, 2400), grid);
  air.run_until(2400);
  air.observe();
  const Slice w = air.w();
  std::vector<double> middle;
  for (Index k = 0; k < w.nz; ++k) {
    for (Index i = w.nx / 2 - 10; i < w.nx / 2 + 10; ++i) middle.push_back(w.at(i, k));
  }
  return middle;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0, size = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    square += (a[n] - b[n]) * (a[n] - b[n]);
    size += a[n] * a[n];
  }
  return std::sqrt(square / size);
}

TEST(AtmospherePhysics, WavesLeaveThroughOpenSides) {
  const auto free = waves_in_the_middle(240e3, SideKind::periodic, 0);  // nothing comes around
  const double open = difference(free, waves_in_the_middle(40e3, SideKind::open, 0));
  const double relaxed = difference(free, waves_in_the_middle(60e3, SideKind::base, 15e3));
  const double around = difference(free, waves_in_the_middle(40e3, SideKind::periodic, 0));
  const double back = difference(free, waves_in_the_middle(40e3, SideKind::wall, 0));
  RecordProperty("open", std::to_string(open));
  RecordProperty("relaxed", std::to_string(relaxed));
  RecordProperty("periodic", std::to_string(around));
  EXPECT_LE(open, 0.15);
  EXPECT_LE(relaxed, 0.1);
  EXPECT_GT(around, 0.8);
  EXPECT_GT(back, 0.8);
}

TEST(AtmospherePhysics, GroundTakesMomentumAndGivesHeatAsFormulasSay) {
  Model model;
  model.wind = {6, 8};  // 10 m/s
  model.surface = {.kind = Surface::Kind::land, .temperature = 310, .roughness = 0.05};
  model.dt = 0.5;
  model.short_steps = 6;
  SmallAtmosphere<3, double> air(model, cube);
  air.observe();
  const double rho = air.step.air.density.get({3, 3, 0}), p = air.step.air.pressure.get({3, 3, 0});
  air.run(1);
  air.observe();
  const double c = std::pow(0.4 / std::log(50 / 0.05), 2), share = 0.5 * c * 10 / 100;
  const auto u = air.step.velocity.copy_out({{3, 3, 0}, {4, 4, 1}});
  EXPECT_NEAR(u[0], 6 / (1 + share), 1e-4);
  EXPECT_NEAR(u[1], 8 / (1 + share), 1e-4);
  const double kappa = 287.0 / 1004;
  const double exner = std::pow(p / 1e5, kappa) + 9.81 * 50 / (1004 * 300);
  const double warmer = share / (1 + share) * (310 / exner - 300);
  EXPECT_NEAR(air.step.theta_deviation.get({3, 3, 0}), warmer, 1e-6 * warmer);
  EXPECT_NEAR(air.step.theta_deviation.get({3, 3, 1}), 0, 1e-9);
  EXPECT_GT(rho, 1);
}

TEST(AtmospherePhysics, TheSeaGivesVaporUntilAirIsSaturated) {
  Model model;
  model.wind = {25, 0};
  model.humidity = {
      .kind = Humidity::Kind::relative, .ground = 0.7, .aloft = 0.7, .rain = Humidity::Rain::none};
  model.surface = {.kind = Surface::Kind::sea, .temperature = 300};
  model.dt = 0.5;
  model.short_steps = 6;
  SmallAtmosphere<3, double> air(model, cube);
  air.observe();
  const auto& water = *air.step.water;
  const double q = water.ratio.vapor.get({3, 3, 0}), rho = air.step.air.density.get({3, 3, 0});
  const double p = air.step.air.pressure.get({3, 3, 0}), before = water.water.value();
  const double mass = air.step.added_mass.value();
  air.run(1);
  air.observe();
  const double share = 0.5 * 1.1e-3 * 25 / 100, p_s = p + rho * 9.81 * 50;
  const double q_s = 380 / p_s * std::exp(17.27 * 27 / 264.0);
  const double expected = rho / (1 + q) * share / (1 + share) * (q_s - q) * 120;
  EXPECT_NEAR((water.water.value() - before) / expected, 1, 1e-3);
  EXPECT_NEAR(air.step.added_mass.value() - mass, water.water.value() - before, 1e-9 * expected);
  const auto u = air.step.velocity.copy_out({{3, 3, 0}, {4, 4, 1}});
  EXPECT_NEAR(u[0], 25 / (1 + 0.5 * 2e-3 * 25 / 100), 1e-4);
}

const GridOptions small_cube{.cells = {6, 6, 12}, .spacing = {200, 250, 100}};

/// Moist air whose theta and vapour change by height.
Model layered() {
  Model model;
  model.profile = std::make_shared<const AirProfile>(AirProfile{.height = {0, 1200},
                                                                .theta = {300, 306},
                                                                .vapor = {0.010, 0.004},
                                                                .u = {3, 15},
                                                                .v = {0, 0}});
  model.humidity = {.kind = Humidity::Kind::sounding, .rain = Humidity::Rain::none};
  model.dt = 0.5;
  model.short_steps = 6;
  return model;
}
Model layered(LargeScale around) {
  Model model = layered();
  model.large_scale = std::make_shared<const LargeScale>(std::move(around));
  return model;
}

/// What a run of so many seconds changes in a cell: theta, vapour, u, v.
std::array<double, 4> changes(const Model& model, double seconds, Index3 cell = {3, 3, 6}) {
  SmallAtmosphere<3, double> air(model, small_cube);
  const auto values = [&] {
    air.observe();
    const auto [i, j, k] = cell;
    const auto wind = air.step.velocity.copy_out({cell, {i + 1, j + 1, k + 1}});
    return std::array{air.step.air.theta.get(cell), air.step.water->ratio.vapor.get(cell), wind[0],
                      wind[1]};
  };
  const auto before = values();
  air.run_until(seconds);
  auto after = values();
  for (std::size_t n = 0; n < after.size(); ++n) after[n] -= before[n];
  return after;
}

/// -w d_z q, of theta 5 K, of vapour -5 g/kg, of u 10 m/s in a kilometre.
TEST(AtmospherePhysics, AirThatSinksBringsWhatIsAbove) {
  const auto [theta, vapor, u, v] = changes(layered({.height = {0, 1200}, .w = {-0.02, -0.02}}), 5);
  EXPECT_NEAR(theta, 5 * 0.02 * 5e-3, 2e-5);  // of which the air that rises takes some
  EXPECT_NEAR(vapor, -5 * 0.02 * 5e-6, 1e-8);
  EXPECT_NEAR(u, 5 * 0.02 * 1e-2, 2e-5);
  EXPECT_NEAR(v, 0, 1e-12);
}

TEST(AtmospherePhysics, RatesAndTheGeostrophicWindAreThoseOfTheProfile) {
  Model model = layered({.height = {0, 1200},
                         .heating = {-1e-4, -1e-4},
                         .moistening = {-1e-8, -1e-8},
                         .u = {1, 13},
                         .v = {0, 0}});
  model.rotation = 1e-3;
  const auto [theta, vapor, u, v] = changes(model, 5);
  EXPECT_NEAR(theta, -5e-4, 2e-5);
  EXPECT_NEAR(vapor, -5e-8, 3e-9);
  EXPECT_NEAR(u, 2 * (std::cos(5e-3) - 1), 1e-5);  // of the 2 m/s that it differs by
  EXPECT_NEAR(v, -2 * std::sin(5e-3), 1e-5);
}

/// Newtonian cooling alone, of air of one pressure: what theta differs by from its equilibrium
/// becomes 1 - x + x^2/2 - x^3/6 of itself in each step, x = dt / time, which is exp(-x) to third
/// order.
TEST(AtmospherePhysics, RadiationBringsThetaToItsEquilibriumInItsTime) {
  constexpr double x = 0.05;  // of 10 s
  const double left = std::pow(1 - x + x * x / 2 - x * x * x / 6, 40);
  EXPECT_NEAR(left, std::exp(-2), 1e-5);
  Model model;
  model.gravity = 0;
  model.warmer = 5;
  model.cooling_time = 10;
  model.dt = 0.5;
  SmallAtmosphere<3, double> air(model, small_cube);
  air.run(40);
  air.observe();
  EXPECT_NEAR(air.step.theta_deviation.get({3, 3, 6}), 5 * left, 1e-10);  // to the base state

  Model moist = layered({.height = {0, 1200}, .equilibrium = {290, 290}});
  moist.profile = std::make_shared<const AirProfile>(
      AirProfile{.height = {0, 1200}, .theta = {300, 300}, .vapor = {0.008, 0.008}});
  moist.gravity = 0;
  moist.cooling_time = 10;
  const auto [theta, vapor, u, v] = changes(moist, 20);
  EXPECT_NEAR(theta, 10 * (left - 1), 1e-9);
  EXPECT_NEAR(vapor, 0, 1e-14);
}

TEST(AtmospherePhysics, AirAtRestThatIsTheEquilibriumStaysAtRest) {
  Model model = windy_hill();
  model.cooling_time = 10;
  SmallAtmosphere<3, double> air(timed(model, cube, 0.5, 20), cube);
  air.run_until(20);
  air.observe();
  EXPECT_LE(std::abs(air.step.largest_w.value()), 1e-10);
}

TEST(AtmospherePhysics, FluxesThatAreGivenReachTheLowestLevel) {
  Model model = layered();
  model.surface = {.kind = Surface::Kind::fluxes,
                   .heat_flux = 0.1,
                   .vapor_flux = 5e-5,
                   .friction_velocity = 0.3};
  const auto [theta, vapor, u, v] = changes(model, 0.5, {3, 3, 0});
  EXPECT_NEAR(theta, 0.5 * 0.1 / 100, 1e-5);
  EXPECT_NEAR(vapor, 0.5 * 5e-5 / 100, 1e-9);
  EXPECT_NEAR(u, -0.5 * 0.09 / 100, 1e-5);
  EXPECT_NEAR(v, 0, 1e-12);

  SmallAtmosphere<3, double> air(model, small_cube);
  air.observe();
  const double water = air.step.water->water.value() * 100;  // of a square metre in each cell
  air.run_until(5);
  air.observe();
  EXPECT_GT(air.step.evaporated.value(), 0);
  EXPECT_NEAR(air.step.water->water.value() * 100 - water, air.step.evaporated.value(),
              1e-12 * water);
}

/// A shear that is constant above a still ground has no divergence of stress; what exceeds the base
/// state has none either, so that both leave the middle as it is, and the lowest level feels one.
TEST(AtmospherePhysics, EddiesSpreadTheBaseStateWhereTheyAreTold) {
  Model model = layered();
  model.diffusivity = 50;
  EXPECT_NEAR(changes(model, 1, {3, 3, 0})[2], 0, 1e-6);
  model.spreads_all = true;
  EXPECT_NEAR(changes(model, 1, {3, 3, 0})[2], 50 * 0.01 / 100, 5e-4 * 50 * 0.01);
  EXPECT_NEAR(changes(model, 1)[2], 0, 1e-4);
}

TEST(AtmospherePhysics, AirIsAsUnevenAsItIsTold) {
  Model model = layered();
  model.noise = {.theta = 0.2, .vapor = 1e-5, .height = 600};
  SmallAtmosphere<3, double> air(model, small_cube), again(model, small_cube),
      even(layered(), small_cube);
  for (auto* one : {&air, &again, &even}) one->observe();
  EXPECT_EQ(air.step.now.heat.checksum(), again.step.now.heat.checksum());
  EXPECT_GT(air.step.largest_theta.value(), 0.15);
  EXPECT_LE(air.step.largest_theta.value(), 0.2);
  EXPECT_LT(air.step.smallest_theta.value(), -0.15);
  EXPECT_NE(air.step.water->ratio.vapor.get({2, 2, 5}),
            even.step.water->ratio.vapor.get({2, 2, 5}));
  EXPECT_EQ(air.step.water->ratio.vapor.get({2, 2, 6}),
            even.step.water->ratio.vapor.get({2, 2, 6}));
}

TEST(AtmospherePhysics, CloudsAreSeenFromAboveAndBelow) {
  SmallAtmosphere<3, double> air(layered(), small_cube);
  Field<double> cloud = air.step.water->now.cloud;
  cloud.fill([](Index3 at) { return at[0] < 2 && at[2] >= 4 && at[2] < 7 ? 1e-3 : 0; });
  air.observe();
  const Moisture<double>& water = *air.step.water;
  EXPECT_EQ(water.all_cover.value(), 12);
  EXPECT_EQ(water.cloud_base.value(), 450);
  EXPECT_EQ(water.cloud_top.value(), 650);
  EXPECT_NEAR(water.all_liquid.value(), 12 * 0.3, 1e-12);
  EXPECT_NEAR(water.liquid_path.get({1, 1, 9}), 0.3, 1e-14);
  EXPECT_EQ(water.cloud_cover.get({2, 1, 0}), 0);
}

TEST(AtmospherePhysics, TablesSayTheirUnits) {
  const test::ScratchFolder folder;
  const auto file = folder.path() / "around.csv";
  std::ofstream(file) << "z [km], w [cm/s], theta_rate [K/d], ug [m/s], theta_eq\n0, 0, -2, -10, "
                         "300\n1, -1, 0, -8, 310\n";
  const LargeScale around = read_large_scale(file);
  EXPECT_NEAR(around.at(around.w, 500), -0.005, 1e-15);
  EXPECT_NEAR(around.at(around.heating, 0), -2.0 / 86400, 1e-15);
  EXPECT_NEAR(around.at(around.u, 750), -8.5, 1e-12);
  EXPECT_NEAR(around.at(around.equilibrium, 250), 302.5, 1e-12);
  EXPECT_EQ(around.at(around.moistening, 0), 0);
  std::ofstream(file) << "z, w\n0, 0\n1000, -5\n";
  EXPECT_THAT(test::error_of([&] { read_large_scale(file); }), HasSubstr("below 0 air sinks"));
}

/// Reed and Jablonowski's vortex: 1003.85 hPa in its middle, 20 m/s 250 km away from it; in
/// balance, so that nothing of it moves at once.
TEST(AtmospherePhysics, AVortexIsThatOfReedAndJablonowski) {
  Model model;
  model.surface_pressure = 101500;
  model.rotation = 2.5325e-5;
  model.profile = std::make_shared<const AirProfile>(
      AirProfile{.height = {0, 1000, 10000}, .theta = {301, 304, 340}, .vapor = {0.021, 0.013, 0}});
  model.humidity = {.kind = Humidity::Kind::sounding};
  model.vortex = {.drop = 1115};
  const Sounding base(model, 10000);
  const auto vortex = [&](double r, double z) {
    return model.vortex.at(model, base, model.rotation, r, z);
  };
  EXPECT_NEAR(vortex(0, 0).pressure * 1015, 1003.85, 1e-9);
  EXPECT_NEAR(vortex(250e3, 0).speed, 20, 0.3);
  EXPECT_LT(vortex(150e3, 0).speed, vortex(250e3, 0).speed);
  EXPECT_LT(vortex(250e3, 5000).speed, 15);
  EXPECT_GT(vortex(0, 5000).theta, base.theta(5000) + 1);  // its core is warm
  const double h = 10, r = 200e3, z = 3000, kappa = 287.0 / 1004;
  const auto pressure = [&](double from_axis, double height) {
    return base.pressure(height, 0) * vortex(from_axis, height).pressure;
  };
  const auto here = vortex(r, z);
  const double p = pressure(r, z);
  const double per_density = 287 * here.theta * std::pow(p / 1e5, kappa) / p;
  const double upward = (pressure(r, z + h) - pressure(r, z - h)) / (2 * h);
  const double outward = (pressure(r + h, z) - pressure(r - h, z)) / (2 * h);
  EXPECT_NEAR(-per_density * upward, 9.81, 1e-3);
  EXPECT_NEAR(here.speed * here.speed / r + model.rotation * here.speed, per_density * outward,
              1e-6 * per_density * outward);
}

/// Drag slows the wind that follows the ground, and with it the air that rises there.
TEST(AtmospherePhysics, AirThatDragSlowsStillFollowsTheGround) {
  Model model;
  model.stability = 0.012;
  model.wind = {10, 0};
  model.terrain = {.shape = Terrain::Shape::bell, .height = 500, .half_width = 2000};
  model.surface = {.kind = Surface::Kind::land, .temperature = 300};
  model.dt = 1;
  SmallAtmosphere<2, double> air(model, slice_of(16000, 5000, 500, 250));
  air.run(60);
  const Levels levels(model, *air.grid().state());
  const auto momentum = air.step.now.x.copy_out();
  for (const Index i : {8, 12, 20}) {
    const auto rises = [&](Index n) {
      const double G = 0.5 * (levels.stretch({n, 0, 0}) + levels.stretch({n - 1, 0, 0}));
      return 0.5 * levels.slope(0, {n, 0, 0}) * momentum[static_cast<std::size_t>(n)] / G;
    };
    EXPECT_NEAR(air.step.now.z.get({i, 0, 0}), rises(i) + rises(i + 1), 1e-9);
  }
}

TEST(AtmospherePhysics, PressureIsReducedToTheSeaAndHighGroundIsColder) {
  Model model;
  model.stability = 0.012;
  model.terrain = {.shape = Terrain::Shape::bell, .height = 1000, .half_width = 1500};
  model.surface = {.kind = Surface::Kind::sea, .temperature = 300, .lapse_rate = 6.5e-3};
  SmallAtmosphere<2, double> air(model, slice_of(16000, 10000, 500, 250));
  air.observe();
  EXPECT_NEAR(air.step.lowest_pressure.value(), 1e5, 150);
  EXPECT_LT(air.step.air.pressure.get({16, 0, 0}), 0.9e5);  // the summit
  const Levels levels(model, *air.grid().state());
  for (const Index i : {0, 16, 20}) {
    EXPECT_NEAR(air.step.skin->temperature.get({i, 0, 0}), 300 - 6.5e-3 * levels.ground(i, 0),
                1e-9);
  }
}

/// C_D |v| z of the lowest level up to 850 hPa, next to nothing far above.
TEST(AtmospherePhysics, TheBoundaryLayerMixesAsReedAndJablonowskiHaveIt) {
  Runtime runtime(one_thread());
  Grid grid(runtime, {.cells = {4, 4, 6},
                      .spacing = {1000, 1000, 100},
                      .boundary = BoundarySet(periodic, periodic, mirror)});
  Field<double> drag(grid, "drag"), pressure(grid, "pressure"), stretch(grid, "stretch"),
      nu(grid, "nu"), kappa(grid, "kappa");
  drag.fill(60.0 * 1.5e-3 * 20 / 100);  // dt C_D |v| over the thickness
  stretch.fill(1);
  pressure.fill([](Index3 at) { return 100000 - 10000 * static_cast<double>(at[2]); });
  Program program("mixing");
  program.columns(Axis::z, BoundaryLayer<double>{100, 1 / 60.0, 0}, site, in(drag), in(pressure),
                  in(stretch), out(nu), out(kappa), scratch<double, 1>);
  StepClock clock;
  Engine(program).run(1, clock);
  const double strongest = 1.5e-3 * 20 * 50;
  EXPECT_NEAR(nu.get({1, 1, 0}), strongest, 1e-12);
  EXPECT_NEAR(kappa.get({1, 1, 1}), strongest, 1e-12);
  EXPECT_NEAR(nu.get({1, 1, 3}), strongest * std::exp(-2.25), 1e-12);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_physics_test
