// Six species: rates beside numbers of the published formulas, water, heat, signs, bits.

#include "atmosphere/ice.hpp"

#include <random>

#include "tests/apps/atmosphere_ways.hpp"

namespace goban::atmosphere::atmosphere_ice_test {
namespace {

using Cell = SixSpecies<double>;
const Wsm6<double> scheme;
const double L_v = 2.5e6, L_f = 3.34e5, c_p = 1003, T_0 = 273.15;

double water_of(const Cell& q) { return q.vapor + q.cloud + q.rain + q.ice + q.snow + q.graupel; }
/// c_p T + L_v q_v - L_f q_ice, J/kg.
double heat_of(const Cell& q) {
  return c_p * q.temperature + L_v * q.vapor - L_f * (q.ice + q.snow + q.graupel);
}
double smallest_of(const Cell& q) {
  return std::min({q.vapor, q.cloud, q.rain, q.ice, q.snow, q.graupel});
}
/// At this temperature and 800 hPa, as humid as said over water.
Cell air(double temperature, double humidity) {
  return {humidity * scheme.water.saturation(temperature) / 800, 0, 0, 0, 0, 0, temperature};
}
Cell exchanged(const Cell& q, double dt) {
  return FormIce<double>{scheme, dt}.exchange(q, 1.0, 8e4);
}
Cell melted(const Cell& q, double dt) {
  return FormIce<double>{scheme, dt}.melt_and_freeze(q, 1.0, 8e4);
}
Cell stepped(const Cell& q, double dt) {
  const FormIce<double> form{scheme, dt};
  return form.condense(form.exchange(form.melt_and_freeze(q, 1.0, 8e4), 1.0, 8e4), 8e4);
}

/// Over ice and water at -20 C: 1.0326 and 1.2540 hPa (Goff and Gratch).
TEST(AtmosphereIce, AirSaturatesOverIceAndWaterAsMeasured) {
  EXPECT_NEAR(scheme.ice_saturation(253.15) / 0.622 / 1.0326, 1, 0.015);
  EXPECT_NEAR(scheme.water.saturation(253.15) / 0.622 / 1.2540, 1, 0.015);
  EXPECT_NEAR(scheme.ice_saturation(273.0), scheme.water.saturation(273.0), 1e-15);
}

/// There is a gram in a m3 of air of 1 kg/m3; N_0 of snow at -20 C is e^2.4 times that at 0 C.
TEST(AtmosphereIce, SpeciesFallAsPublished) {
  const double f = std::sqrt(1.28);
  const auto speed = [&](const Sweeping<double>& kind) {
    return kind.fall_speed(kind.kind.mean_diameter(1e-3, 1.0), f);
  };
  EXPECT_NEAR(speed(scheme.rain), 5.91574, 1e-5);
  EXPECT_NEAR(speed(scheme.snow), 1.40238, 1e-5);
  EXPECT_NEAR(speed(scheme.graupel), 3.05967, 1e-5);
  EXPECT_NEAR(snow_number<double>(253.15), std::exp(2.4), 1e-12);
  EXPECT_NEAR(scheme.crystals(1e-4), 53800, 1);
  EXPECT_NEAR(scheme.crystal_fall(5e-4), 0.70605, 1e-5);
  EXPECT_NEAR(1414 * scheme.viscosity(T_0), 0.0243, 1e-4);   // W/(m K)
  EXPECT_NEAR(scheme.diffusivity(T_0, 1e5), 2.26e-5, 1e-7);  // m2/s
}

TEST(AtmosphereIce, RainAndCloudFreezeByChanceAndAtOnce) {
  Cell q = air(253.15, 1);
  q.rain = 1e-3;
  q.cloud = 1e-3;
  const Cell later = melted(q, 0.01);
  EXPECT_NEAR(later.graupel, 0.01 * 3.02473e-4, 1e-10);
  EXPECT_NEAR(later.ice, 0.01 * 1.80121e-10, 1e-16);
  q.temperature = T_0 - 41;
  const Cell frozen = melted(q, 0.01);
  EXPECT_EQ(frozen.cloud, 0);
  EXPECT_EQ(frozen.ice, 1e-3);
  EXPECT_NEAR(frozen.temperature - q.temperature, L_f / c_p * (1e-3 + frozen.graupel), 1e-12);
}

TEST(AtmosphereIce, IceMeltsAtOnce_SnowAndGraupelAsAirConductsHeat) {
  Cell q = air(278.15, 1);
  q.ice = 1e-4;
  q.snow = 1e-3;
  q.graupel = 1e-3;
  const Cell later = melted(q, 0.1);
  EXPECT_EQ(later.ice, 0);
  EXPECT_EQ(later.cloud, 1e-4);
  EXPECT_NEAR((q.snow - later.snow) / 0.1, 2.82172e-5, 1e-9);
  EXPECT_NEAR((q.graupel - later.graupel) / 0.1, 1.36621e-5, 1e-9);
  EXPECT_NEAR(later.rain, 2e-3 - later.snow - later.graupel, 1e-18);
}

TEST(AtmosphereIce, SnowAndGraupelSweepUpCloud) {
  Cell q = air(263.15, 1);
  q.cloud = 1e-4;  // too little to convert
  q.graupel = 1e-3;
  q.vapor = scheme.ice_saturation(263.15) / 800;  // over ice: nothing deposits
  EXPECT_NEAR((exchanged(q, 1e-3).graupel - q.graupel) / 1e-3, 1e-4 * 3.82435e-3, 1e-12);
  std::swap(q.snow, q.graupel);
  EXPECT_NEAR((q.cloud - exchanged(q, 1e-3).cloud) / 1e-3, 1e-4 * 6.55570e-3, 1e-12);
}

TEST(AtmosphereIce, CloudBecomesRainAboveHalfAGram) {
  Cell q = air(290, 1);
  q.cloud = 5e-4;
  EXPECT_EQ(exchanged(q, 1).rain, 0);
  q.cloud = 1e-3;
  EXPECT_NEAR(exchanged(q, 1e-3).rain / 1e-3, 6.773895 * std::pow(1e-3, 7.0 / 3), 1e-13);
}

TEST(AtmosphereIce, VaporGoesToIce) {
  Cell q = air(258.15, 1);
  const double q_si = scheme.ice_saturation(258.15) / 800;
  q.vapor = 1.05 * q_si;
  q.ice = 5e-5;  // more than nuclei would make
  const double content = 5e-5, size = 11.9 * std::sqrt(content / scheme.crystals(content));
  const double held =
      std::pow(2.834e6, 2) / (1414 * scheme.viscosity(258.15) * 461.5 * 258.15 * 258.15) +
      1 / (q_si * scheme.diffusivity(258.15, 8e4));
  EXPECT_NEAR((exchanged(q, 1e-2).ice - q.ice) / 1e-2,
              4 * size * scheme.crystals(content) * 0.05 / held, 1e-12);
}

/// Cloud and ice together (Wegener, Bergeron, Findeisen): all cloud goes, and air is saturated over
/// ice.
TEST(AtmosphereIce, CloudFeedsIce) {
  Cell q = air(258.15, 1);
  q.cloud = 1e-4;
  q.ice = 5e-5;
  const Cell before = q;
  for (int step = 0; step < 1000; ++step) q = stepped(q, 5);
  EXPECT_EQ(q.cloud, 0);
  EXPECT_NEAR(q.vapor / (scheme.ice_saturation(q.temperature) / 800), 1, 1e-3);
  EXPECT_GT(q.ice + q.snow + q.graupel, 2.5e-4);
  EXPECT_NEAR(water_of(q) / water_of(before), 1, 1e-12);
}

double drawn(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
Cell some_cell(std::mt19937& random) {
  const auto some = [&](double most) { return std::max(drawn(random, -most, most), 0.0); };
  Cell q = air(drawn(random, 200, 300), drawn(random, 0.2, 1.1));
  q.cloud = some(3e-3);
  q.rain = some(8e-3);
  q.ice = some(1e-3);
  q.snow = some(4e-3);
  q.graupel = some(8e-3);
  return q;
}

TEST(AtmosphereIce, WaterAndHeatAreConservedAndNoWaterIsNegative) {
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    const double dt = n % 2 == 0 ? 5 : 300;
    const Cell q = some_cell(random), later = stepped(q, dt);
    ASSERT_NEAR(water_of(later) / water_of(q), 1, 1e-13) << n;
    ASSERT_NEAR(heat_of(later) / heat_of(q), 1, 1e-14) << n;
    ASSERT_GE(smallest_of(later), 0) << n;
  }
}

/// Columns that fall: water with what has fallen, and heat without that of the ice that left.
template <class T>
class Columns {
 public:
  explicit Columns(Index3 cells)
      : runtime_(one_thread()),
        grid_(runtime_, {.cells = cells, .boundary = {periodic, periodic, mirror}}),
        fields_{{field("density"), field("exner"), field("thickness"), field("theta"),
                 field("vapor"), field("cloud"), field("rain"), field("rate"), field("fallen")},
                field("ice"),
                field("snow"),
                field("graupel"),
                field("fallen_ice")} {
    std::mt19937 random(2);
    auto& warm = fields_.warm;
    const auto set = [](Field<T>& of, Index3 cell, double value) {
      of.set(cell, static_cast<T>(value));
    };
    for (Index k = 0; k < cells[2]; ++k) {
      for (Index n = 0; n < cells[0] * cells[1]; ++n) {
        const Index3 cell{n % cells[0], n / cells[0], k};
        const double p = 1e5 * std::exp(-0.03 * static_cast<double>(k));
        const Cell q = some_cell(random);
        set(warm.density, cell, p / (287 * q.temperature));
        set(warm.exner, cell, std::pow(p / 1e5, 0.2875));
        set(warm.thickness, cell, drawn(random, 100, 300));
        set(warm.theta, cell, q.temperature / std::pow(p / 1e5, 0.2875));
        set(warm.vapor, cell, q.vapor);
        set(warm.cloud, cell, q.cloud);
        set(warm.rain, cell, q.rain);
        set(fields_.ice, cell, q.ice);
        set(fields_.snow, cell, q.snow);
        set(fields_.graupel, cell, q.graupel);
      }
    }
    for (Field<T> one : {warm.rain_rate, warm.fallen_rain, fields_.fallen_ice}) one.fill(0);
  }
  void run(Index steps, double dt) {
    Parameter<double> seconds("dt", dt);
    Program step("ice");
    add_wsm6<T>(step, fields_, seconds, static_cast<T>(dt));
    StepClock clock;
    Engine(step).run(steps, clock);
  }
  /// Over columns: kg/m2; J/m2, with the heat that ice on the ground lacks; ice on the ground.
  struct Sums {
    double water = 0, heat = 0, fallen_ice = 0, fallen = 0;
  };
  Sums sums() const {
    const auto& w = fields_.warm;
    const auto all = [](const Field<T>& field) { return field.copy_out(); };
    const auto rho = all(w.density), dz = all(w.thickness), pi = all(w.exner), theta = all(w.theta),
               v = all(w.vapor), c = all(w.cloud), r = all(w.rain), i = all(fields_.ice),
               s = all(fields_.snow), g = all(fields_.graupel), fallen = all(w.fallen_rain),
               frozen = all(fields_.fallen_ice);
    Sums sums;
    for (std::size_t n = 0; n < rho.size(); ++n) {
      const double mass = rho[n] * dz[n], ice = i[n] + s[n] + g[n];
      sums.water += mass * (v[n] + c[n] + r[n] + ice) + fallen[n];
      sums.heat += mass * (c_p * pi[n] * theta[n] + L_v * v[n] - L_f * ice) - L_f * frozen[n];
      sums.fallen_ice += frozen[n];
      sums.fallen += fallen[n];
    }
    return sums;
  }

 private:
  Field<T> field(const char* name) { return Field<T>(grid_, name); }
  Runtime runtime_;
  Grid grid_;
  Wsm6Fields<T> fields_;
};

TEST(AtmosphereIce, WhatFallsIsConserved) {
  Columns<double> columns({9, 4, 21});
  const auto before = columns.sums();
  columns.run(20, 25);
  const auto after = columns.sums();
  EXPECT_NEAR(after.water / before.water, 1, 1e-13);
  EXPECT_NEAR(after.heat / before.heat, 1, 1e-13);
  EXPECT_GT(after.fallen_ice, 0.01 * before.water);
  EXPECT_GT(after.fallen, 1.1 * after.fallen_ice);
}

TEST(AtmosphereIce, FloatIsNearDouble) {
  Columns<double> fine({9, 4, 21});
  Columns<float> coarse({9, 4, 21});
  fine.run(10, 10);
  coarse.run(10, 10);
  EXPECT_NEAR(coarse.sums().fallen / fine.sums().fallen, 1, 1e-3);
  EXPECT_NEAR(coarse.sums().fallen_ice / fine.sums().fallen_ice, 1, 1e-3);
  EXPECT_NEAR(coarse.sums().heat / fine.sums().heat, 1, 1e-5);
}

/// Humid air over a hill, with a warm bubble, and ice in it.
Model icy() {
  Model model;
  model.surface_theta = 285;
  model.stability = 0.008;
  model.wind = {10, 5};
  model.terrain = {.shape = Terrain::Shape::bell,
                   .height = 500,
                   .half_width = 2000,
                   .width_y = 1500,
                   .center_x = 6000,
                   .center_y = 4000};
  model.sponge_depth = 2000;
  model.bubbles = {{.amplitude = 5, .center = {4000, 4000, 2500}, .radius = {3000, 3000, 2000}}};
  model.humidity = {
      .kind = Humidity::Kind::relative, .ground = 0.97, .aloft = 0.9, .rain = Humidity::Rain::wsm6};
  model.surface = {.kind = Surface::Kind::sea, .temperature = 288};
  model.shows_storms = true;
  model.dt = 3;
  model.short_steps = 6;
  return model;
}
const GridOptions space{.cells = {17, 11, 10}, .spacing = {700, 750, 900}};

template <int D, class T>
void add_ice(SmallAtmosphere<D, T>& air) {
  auto& water = *air.step.water;
  for (Field<T> field : water.now.ice) {
    field.fill([](Index3 cell) { return static_cast<T>(cell[0] % 5 == 0 ? 1e-3 : 0); });
  }
}

TEST(AtmosphereIce, WaterIsConservedInAir) {
  Model model = icy();
  model.surface = {};
  SmallAtmosphere<3, double> air(model, space);
  add_ice(air);
  const auto all = [&] {
    air.observe();
    return 900 * air.step.water->water.value() + air.step.water->fallen.value();
  };
  const double before = all();
  const double mass = air.step.added_mass.value();
  air.run(60);
  EXPECT_NEAR(all() / before, 1, 1e-13);
  const double lost = 900 * (mass - air.step.added_mass.value());
  EXPECT_NEAR(lost / air.step.water->fallen.value(), 1, 1e-9);
  EXPECT_GT(air.step.water->fallen_ice->maximum(), 0);
  for (const Field<double>& field : air.step.water->ratio.all()) {
    EXPECT_GE(field.minimum(), 0) << field.name();
    EXPECT_GT(field.maximum(), 1e-7) << field.name();
  }
}

template <class T>
test::Experiment experiment() {
  return [](const Settings& settings) {
    SmallAtmosphere<3, T> air(icy(), space, settings);
    add_ice(air);
    air.run(3);
    air.observe();
    StepClock clock;
    Engine(air.step.storm_observation()).run(1, clock);
    test::Results results;
    const auto put = [&](const Field<T>& field) { results[field.name()] = field.checksum(); };
    const auto& water = *air.step.water;
    for (const auto& field : water.now.all()) put(field);
    for (const auto& field :
         {air.step.now.density, air.step.now.heat, air.step.now.z, water.fallen_rain,
          *water.fallen_ice, water.relative_humidity, air.step.storms->composite,
          air.step.storms->cape, air.step.storms->cin}) {
      put(field);
    }
    return results;
  };
}

TEST(AtmosphereIce, BitsAreTheSameEveryWay) {
  test::expect_same_bits(experiment<double>(),
                         ways({{"", "", ""}, {"7,10", "5,6", ""}}, {false}, 11));
}

TEST(AtmosphereIce, ARunThatWasStopped_GoesOnAsIfItWereNot) {
  expect_the_same_after_a_restart(icy(), space);
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_ice_test
