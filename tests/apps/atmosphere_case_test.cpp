// From the keys of a case to the numbers of a model, and from these to levels and air.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "atmosphere/keys.hpp"
#include "atmosphere/sounding.hpp"
#include "goban/io/case/read.hpp"
#include "tests/error_text.hpp"

namespace goban::atmosphere::atmosphere_case_test {
namespace {

using ::testing::HasSubstr;

Model model_of(const std::vector<std::string>& more = {}) {
  CaseSchema schema;
  declare_keys(schema);
  const std::string text =
      "app = \"atmosphere\"\n[grid]\ncells = [20, 1, 10]\nspacing = [1000, 1000, 500]\n"
      "[time]\nsteps = 1\n";
  return read_model(parse_case(schema, text, "atmosphere.toml", more));
}

std::string error_of_model(const std::vector<std::string>& more) {
  return test::error_of([&] { model_of(more); });
}

TEST(AtmosphereCase, NumbersAreThoseOfTheCase) {
  const Model model = model_of({"base.wind=[10, -2]", "terrain.shape=schaer", "terrain.height=250",
                                "sponge.depth=2 km", "scheme.short_steps=8"});
  EXPECT_EQ(model.wind, (std::array<double, 2>{10, -2}));
  EXPECT_EQ(model.terrain.shape, Terrain::Shape::schaer);
  EXPECT_EQ(model.terrain.height, 250);
  EXPECT_EQ(model.sponge_depth, 2000);
  EXPECT_EQ(model.short_steps, 8);
  EXPECT_NEAR(model.gamma(), 1004.0 / 717, 1e-15);
}

/// 1.5 N^2 a / U.
TEST(AtmosphereCase, SpongeIsAsStrongAsTheWavesOfTheHillNeedIt) {
  const std::vector<std::string> hill{"base.wind=[10, 0]", "base.stability=0.01",
                                      "terrain.shape=bell", "terrain.height=100",
                                      "terrain.half_width=5 km"};
  EXPECT_NEAR(model_of(hill).sponge_rate, 1.5 * 1e-4 * 5000 / 10, 1e-15);
  const auto with = [&](const std::string& more) {
    auto keys = hill;
    keys.push_back(more);
    return model_of(keys).sponge_rate;
  };
  EXPECT_EQ(with("base.wind=[0, 0]"), 0.2);
  EXPECT_EQ(with("terrain.height=0"), 0.2);
  EXPECT_EQ(with("sponge.rate=0.03"), 0.03);
}

TEST(AtmosphereCase, HillsAndBubblesOfASliceLieInIt) {
  const Model model =
      model_of({"terrain.shape=bell", "terrain.height=100", "terrain.width_y=1 km",
                "bubble=[{amplitude=2, center=[0, 0, 2000], radius=[3e3, 1e3, 1e3]}]"});
  EXPECT_NEAR(model.terrain.at(0, 500), 100, 1e-12);
  EXPECT_NEAR(model.bubbles[0].at(0, 500, 2000, 5000), 2, 1e-12);
  EXPECT_THAT(error_of_model({"grid.origin=[0, 0, 100]"}), HasSubstr("above or below z = 0"));
}

/// The first stage is one short step of a third: c dt / 3 < dx for sound along one axis.
TEST(AtmosphereCase, TimeStepsAreAsLongAsSoundAllows) {
  const Model model = model_of({"scheme.divergence_damping=0"});
  const double c = std::sqrt(model.gamma() * 287 * 300);
  EXPECT_NEAR(model.dt, 0.8 * 3 * 1000 / c, 1e-9);
  EXPECT_EQ(model.short_steps % 2, 0);
  EXPECT_LE(c * model.dt / model.short_steps, 500);
  EXPECT_GT(c * model.dt / (model.short_steps - 2), 500);
  EXPECT_NEAR(model_of({"scheme.divergence_damping=0", "grid.cells=[20, 20, 10]"}).dt,
              model.dt / std::sqrt(2), 1e-9);
  for (const char* const key : {"air.diffusivity=20000", "air.heat_diffusivity=20000"}) {
    EXPECT_NEAR(model_of({key}).dt, 0.8 * 2.51 / (4 * 20000 * (1e-6 + 4e-6)), 1e-9);
  }
}

TEST(AtmosphereCase, WhatCannotBeIsRefused) {
  EXPECT_THAT(error_of_model({"air.heat_capacity=200"}), HasSubstr("the gas constant is 287"));
  EXPECT_THAT(error_of_model({"grid.cells=[20, 1, 3]"}), HasSubstr("3 levels are too few"));
  EXPECT_THAT(error_of_model({"grid.cells=[1, 1, 10]"}), HasSubstr("1 cell along x is too few"));
  EXPECT_THAT(error_of_model({"terrain.shape=bell", "terrain.height=3000"}),
              HasSubstr("the lid lies at 5000 m"));
  EXPECT_THAT(error_of_model({"sponge.depth=6000"}), HasSubstr("make it less deep"));
  EXPECT_THAT(error_of_model({"grid.spacing=[1000, 1000, 4000]"}),
              HasSubstr("the pressure of the air would vanish below"));
  EXPECT_THAT(error_of_model({"scheme.short_steps=7"}), HasSubstr("give an even number"));
  EXPECT_THAT(error_of_model({"time.dt=20"}), HasSubstr("time.dt"));
  EXPECT_THAT(error_of_model({"forcing.cooling_time=2"}), HasSubstr("a time of 2 s is refused"));
  EXPECT_THAT(error_of_model({"moisture.base=saturated", "base.warmer=5"}),
              HasSubstr("moist air that is warmer than the base state is refused"));
}

/// Cells are smallest where the scale is largest; a time step follows from them.
TEST(AtmosphereCase, AGridLiesOnAMapThatCoversIt) {
  const auto with = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"grid.cells=[20, 20, 10]", "grid.spacing=[1e5, 1e5, 500]",
                               "grid.origin=[-1e6, -1e6, 0]", "map.latitude=45", "boundary.x=open",
                               "boundary.y=open"});
    return more;
  };
  const Model lambert = model_of(with({"map.kind=lambert", "map.true_latitudes=[30, 60]"}));
  EXPECT_EQ(lambert.map.kind, Map::Kind::lambert);
  EXPECT_EQ(lambert.map.true_latitudes, (std::array<double, 2>{30, 60}));
  const Model mercator = model_of(with({"map.kind=mercator"}));
  EXPECT_EQ(mercator.map.true_latitudes, (std::array<double, 2>{45, 45}));
  const double largest = Projection(mercator.map).at(0, 1e6).scale;
  EXPECT_GT(largest, 1.15);
  EXPECT_NEAR(mercator.largest_time_step({20, 20, 10}, {1e5 / largest, 1e5 / largest, 500}) * 0.8,
              mercator.dt, 1e-9);
  const auto error_with = [&](const std::vector<std::string>& more) {
    return error_of_model(with(more));
  };
  EXPECT_THAT(error_with({}), HasSubstr("map.kind is \"none\""));
  EXPECT_THAT(error_with({"map.kind=polar", "map.true_latitudes=[60, 70]"}),
              HasSubstr("true to scale at one latitude"));
  EXPECT_THAT(error_with({"map.kind=polar", "air.rotation=1e-4"}),
              HasSubstr("f is that of the map's latitudes"));
  EXPECT_THAT(error_with({"map.kind=polar", "boundary.x=periodic"}),
              HasSubstr("the scale of the map is not the same on both"));
  EXPECT_THAT(error_with({"map.kind=lambert", "map.latitude=88", "map.true_latitudes=[30, 60]"}),
              HasSubstr("take a polar map"));
  EXPECT_THAT(error_with({"map.kind=mercator", "map.latitude=90"}),
              HasSubstr("a scale of inf is refused"));
  EXPECT_THAT(error_of_model({"map.kind=mercator", "boundary.x=open"}),
              HasSubstr("the grid is a slice"));
}

TEST(AtmosphereCase, AirIsDryUnlessTheCaseSaysHowHumid) {
  EXPECT_FALSE(model_of({"moisture.ground=0.9"}).humidity.has_water());
  const Humidity humidity =
      model_of({"moisture.base=relative", "moisture.ground=0.9", "moisture.aloft=0.3",
                "moisture.height=8 km", "moisture.exponent=2", "moisture.rain=none"})
          .humidity;
  EXPECT_TRUE(humidity.has_water());
  EXPECT_EQ(humidity.rain, Humidity::Rain::none);
  EXPECT_NEAR(humidity.relative(0), 0.9, 1e-15);
  EXPECT_NEAR(humidity.relative(4000), 0.9 - 0.6 / 4, 1e-15);
  EXPECT_NEAR(humidity.relative(9000), 0.3, 1e-15);
}

/// dp/dz = -g rho, rho that of the gases and of cloud; the humidity is that of Tetens's formula.
TEST(AtmosphereCase, MoistAirIsInBalance) {
  const Model model = model_of({"moisture.base=relative", "moisture.ground=0.9",
                                "moisture.aloft=0.5", "base.stability=0.01"});
  const Sounding air(model, 5000);
  for (const double z : {500.0, 2000.0, 4000.0}) {
    const double p = air.pressure(z, 0), q_v = air.vapor(z);
    const double temperature = model.theta(z) * std::pow(p / 1e5, 287.0 / 1004);
    const double density = p / (287 * temperature) * (1 + q_v) / (1 + q_v * 461.5 / 287);
    const double slope = (air.pressure(z + 50, 0) - air.pressure(z - 50, 0)) / 100;
    EXPECT_NEAR(slope / (-9.81 * density), 1, 1e-5) << z;
    const double q_vs = 380 / p * std::exp(17.27 * (temperature - 273) / (temperature - 36));
    EXPECT_NEAR(q_v / q_vs, 0.9 - 0.4 * std::pow(z / 12000, 1.25), 1e-5) << z;
    EXPECT_EQ(air.cloud(z), 0);
  }
}

/// A uniform potential temperature: p = p0 (1 - g z / (c_p theta))^(c_p / R).
TEST(AtmosphereCase, PressureIsThatOfAirInBalance) {
  const Model model = model_of();
  const double exner = 1 - 9.81 * 4000 / (1004 * 300.0);
  EXPECT_NEAR(model.pressure(4000, 0), 1e5 * std::pow(exner, 1004.0 / 287), 1e-6);
  const Model stable = model_of({"base.stability=0.01"});
  // d(Exner)/dz = -g / (c_p theta), theta = theta0 exp(N^2 z / g): in closed form.
  const double scale = 1e-4 / 9.81, at = 4000;
  const double closed = 1 + 9.81 / (1004 * 300 * scale) * (std::exp(-scale * at) - 1);
  EXPECT_NEAR(stable.pressure(at, 0), 1e5 * std::pow(closed, 1004.0 / 287), 1e-6);
}

TEST(AtmosphereCase, LevelsFollowTheGroundAndFlattenUpward) {
  for (const char* const decay : {"levels.decay=0", "levels.decay=1500"}) {
    const Model model =
        model_of({"terrain.shape=bell", "terrain.height=700", decay, "terrain.half_width=3000",
                  "terrain.center_x=10000", "levels.lowest=0.4"});
    GridState grid;
    grid.cells = {20, 1, 10};
    grid.spacing = {1000, 1000, 500};
    grid.origin = {};
    grid.boundary = BoundarySet(periodic, periodic, mirror);
    const Levels levels(model, grid);
    for (const Index i : {0, 7, 9}) {
      EXPECT_NEAR(levels.face({i, 0, 0}), levels.ground(i, 0), 1e-12);
      EXPECT_NEAR(levels.face({i, 0, 10}), 5000, 1e-9);
      for (Index k = 0; k < 10; ++k) EXPECT_GT(levels.stretch({i, 0, k}), 0);
      // d_x G = d_s z_x.
      const double slopes = (levels.slope(0, {i, 0, 4}) - levels.slope(0, {i, 0, 3})) / 500;
      const double stretches = (levels.stretch({i, 0, 3}) - levels.stretch({i - 1, 0, 3})) / 1000;
      EXPECT_NEAR(slopes, stretches, 1e-15);
    }
    EXPECT_NEAR(levels.ground(9, 0), 700 / (1 + 1.0 / 36), 1e-9);
    EXPECT_NEAR(levels.ground(-1, 0), levels.ground(19, 0), 1e-12);  // x wraps
  }
}

TEST(AtmosphereCase, BubblesHaveTheirShapes) {
  const Bubble round{.amplitude = 2, .center = {100, 0, 50}, .radius = {40, 0, 20}};
  EXPECT_NEAR(round.at(100, 7, 50, 1000), 2, 1e-15);
  EXPECT_NEAR(round.at(120, 0, 50, 1000), 1, 1e-15);
  EXPECT_EQ(round.at(141, 0, 50, 1000), 0);
  const Bubble ridge{.shape = Bubble::Shape::ridge, .amplitude = 0.01, .radius = {5, 0, 0}};
  EXPECT_NEAR(ridge.at(5, 0, 500, 1000), 0.005, 1e-15);
  EXPECT_NEAR(ridge.at(0, 0, 1000, 1000), 0, 1e-15);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_case_test
