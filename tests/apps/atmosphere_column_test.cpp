// What is shown of columns: reflectivity, CAPE and CIN, beside published numbers and an
// integration.

#include "atmosphere/keys.hpp"
#include "atmosphere/parcel.hpp"
#include "atmosphere/radar.hpp"
#include "goban/io/case/read.hpp"
#include "tests/apps/atmosphere_run.hpp"

namespace goban::atmosphere::atmosphere_column_test {
namespace {

/// 43.1 + 17.5 log10 (rho q_r) of g/m3 (Sun and Crook, J. Atmos. Sci. 54 (1997) 1642).
TEST(AtmosphereColumn, RainReflectsAsMarshallAndPalmersDropsDo) {
  const Reflectivity<double> radar;
  for (const double grams : {0.1, 1.0, 5.0}) {
    EXPECT_NEAR(radar.decibels(radar.of_rain(1e-3 * grams)), 43.1 + 17.5 * std::log10(grams), 0.05);
  }
  EXPECT_NEAR(radar.decibels(radar.of_rain(0.0)), -30, 1e-12);
}

/// 0.224 (500/1000)^2 and twice as few, half as dense: (8/4)^(3/4) (1000/500)^(7/4).
TEST(AtmosphereColumn, GraupelReflectsLessUntilItIsWet) {
  const Reflectivity<double> radar;
  const double rain = radar.of_rain(1e-3);
  const double dry = radar.of_ice(graupel_grains<double>, 1e-3, 1.0, 263.0);
  const double wet = radar.of_ice(graupel_grains<double>, 1e-3, 1.0, 275.0);
  EXPECT_NEAR(dry / rain, 0.224 / 4 * std::pow(2, 2.5), 1e-12);
  EXPECT_NEAR(wet / dry, 1 / 0.224, 1e-12);
}

/// 311.19 K (Bolton's equation 39) of air at 1000 hPa, 293 K, dew point 280 K; saturation at 877
/// hPa and 26.77 C of air at 943 hPa, 33 C, dew point 28 C.
TEST(AtmosphereColumn, ParcelsHaveBoltonsTemperatures) {
  const Pseudoadiabat<double> air;
  const auto ratio = [&](double dew_point, double p) { return air.saturation(dew_point, p); };
  const double r = ratio(280, 1000), T_L = air.condensation_temperature(293.0, 1000.0, r);
  const double theta_e = std::exp(air.log_theta_e(293.0, T_L, 1000.0, r));
  EXPECT_NEAR(theta_e, 311.19, 0.1);
  const double saturated = air.condensation_temperature(306.15, 943.0, ratio(301.15, 943));
  EXPECT_NEAR(saturated, 273.15 + 26.77, 0.1);
  EXPECT_NEAR(306.15 * std::pow(877.03 / 943, 0.2854 * (1 - 0.28 * ratio(301.15, 943))), saturated,
              0.1);
  // Back, from far away.
  for (const double T : {210.0, 250.0, 290.0}) {
    const double e = air.log_theta_e(T, T, 500.0, air.saturation(T, 500.0));
    EXPECT_NEAR(air.temperature(T - 15, e, 500.0), T, 1e-6);
    EXPECT_NEAR(air.temperature(T + 15, e, 500.0), T, 1e-6);
  }
}

struct Work {
  double cape = 0, cin = 0;
};
/// By the first law, in steps of 5 m, of columns whose values are linear between their levels.
Work integrated(const std::vector<double>& z, const std::vector<double>& p,
                const std::vector<double>& T, const std::vector<double>& q) {
  const auto at = [&](const std::vector<double>& values, double height) {
    std::size_t k = 1;
    while (k + 1 < z.size() && z[k] < height) ++k;
    const double share = (height - z[k - 1]) / (z[k] - z[k - 1]);
    return values[k - 1] + share * (values[k] - values[k - 1]);
  };
  std::vector<double> logarithms;
  for (const double pascal : p) logarithms.push_back(std::log(pascal));
  const auto pressure = [&](double height) { return std::exp(at(logarithms, height)); };
  const Pseudoadiabat<double> air;
  double hot = T[0], r = q[0], waiting = 0;
  Work work;
  constexpr double dz = 5;
  for (double height = z[0]; height + dz <= z.back(); height += dz) {
    const double low = pressure(height), high = pressure(height + dz);
    const auto rate = [&](double temperature, double pa) {
      const double r_s = air.saturation(temperature, pa / 100);
      const bool is_saturated = r_s < r;
      const double L = 2.501e6 - 2370 * (temperature - 273.15);
      const double above = is_saturated ? 287.04 * temperature + L * r_s : 287.04 * temperature;
      const double below = is_saturated
                               ? 1005.7 + L * L * r_s * 0.622 / (287.04 * temperature * temperature)
                               : 1005.7;
      return above / (below * pa);
    };
    const double half = hot + 0.5 * (high - low) * rate(hot, low);
    hot += (high - low) * rate(half, 0.5 * (low + high));
    r = std::min(r, air.saturation(hot, high / 100));
    const double around = at(T, height + dz), vapor = at(q, height + dz);
    const auto virtual_of = [](double t, double w) { return t * (1 + w / 0.622) / (1 + w); };
    const double lift = 9.81 * (virtual_of(hot, r) / virtual_of(around, vapor) - 1) * dz;
    if (lift > 0) {
      work.cape += lift;
      work.cin += waiting;
      waiting = 0;
    } else {
      waiting -= lift;
    }
  }
  return work;
}

/// Weisman and Klemp's air with at most 14 g/kg (Mon. Weather Rev. 110 (1982) 504).
TEST(AtmosphereColumn, CapeIsWhatAnIntegrationFinds) {
  CaseSchema schema;
  declare_keys(schema);
  const Case values =
      read_case(schema, std::string(GOBAN_SOURCE_DIR) + "/cases/atmosphere/supercell.toml",
                {"grid.cells=[4, 4, 80]", "grid.spacing=[6000, 6000, 250]", "output.storms=true"});
  Model model = read_model(values);
  model.bubbles = {};
  SmallAtmosphere<3, double> air(model, grid_options(values));
  air.step.water->now.rain.fill([](Index3 cell) { return cell[2] == 7 ? 1e-3 : 0; });
  air.observe();
  StepClock clock;
  Engine(air.step.storm_observation()).run(1, clock);
  const auto column = [&](const Field<double>& field) {
    return field.copy_out({{1, 1, 0}, {2, 2, 80}});
  };
  const ShownStorms<double>& storms = *air.step.storms;
  const Work found{storms.cape.get({1, 1, 0}), storms.cin.get({1, 1, 79})};
  const Work expected =
      integrated(column(air.step.height), column(air.step.air.pressure),
                 column(air.step.air.temperature), column(air.step.water->ratio.vapor));
  RecordProperty("cape", std::to_string(found.cape) + " " + std::to_string(expected.cape));
  RecordProperty("cin", std::to_string(found.cin) + " " + std::to_string(expected.cin));
  EXPECT_NEAR(found.cape / expected.cape, 1, 0.03);
  EXPECT_NEAR(found.cin, expected.cin, 3);
  EXPECT_EQ(storms.composite.minimum(), storms.composite.maximum());
  EXPECT_EQ(storms.composite.get({2, 1, 70}), storms.reflectivity.get({2, 1, 7}));
  EXPECT_NEAR(storms.composite.maximum(), 43.1, 0.1);  // G is 1
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_column_test
