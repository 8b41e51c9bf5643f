// Warm rain beside a transcription of the scheme for plain numbers; water, heat, signs, bits.

#include "atmosphere/kessler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "goban/goban.hpp"
#include "tests/apps/one_thread.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::atmosphere::atmosphere_kessler_test {
namespace {

/// Columns side by side: what the scheme reads and changes, x fastest, the ground first.
struct Air {
  Index3 cells;
  std::vector<double> rho, pi, dz, theta, qv, qc, qr;
  std::vector<double> rain_rate, fallen;  ///< of columns, kg/(m2 s) and kg/m2

  explicit Air(Index3 cells_) : cells(cells_) {
    for (auto* values : {&rho, &pi, &dz, &theta, &qv, &qc, &qr}) values->resize(size(cells[2]));
    for (auto* values : {&rain_rate, &fallen}) values->resize(size(1));
  }
  std::size_t size(Index levels) const {
    return static_cast<std::size_t>(cells[0] * cells[1] * levels);
  }
  double mass(std::size_t n) const { return rho[n] * dz[n]; }
  /// kg/m2, summed over columns, with what has fallen.
  double water() const {
    double sum = 0;
    for (std::size_t n = 0; n < rho.size(); ++n) sum += mass(n) * (qv[n] + qc[n] + qr[n]);
    for (const double depth : fallen) sum += depth;
    return sum;
  }
};

double saturation_of(double pi, double theta) {
  const double pc = 3.8 / (1000 * std::pow(pi, 1 / 0.2875));
  return pc * std::exp(17.27 * (pi * theta - 273) / (pi * theta - 36));
}

/// The text of the scheme, cell after cell. Returns the number of sub-cycles.
int kessler_by_text(Air& air, double dt) {
  const std::size_t columns = air.size(1), levels = static_cast<std::size_t>(air.cells[2]);
  const auto speed = [&](std::size_t n, double rho_0) {
    const double r = 0.001 * air.rho[n];
    return 36.34 * std::pow(air.qr[n] * r, 0.1364) * std::sqrt(rho_0 / air.rho[n]);
  };
  double densest = 0, rate = 0;
  for (std::size_t c = 0; c < columns; ++c) densest = std::max(densest, air.rho[c]);
  for (std::size_t n = 0; n < air.rho.size(); ++n) {
    rate = std::max(rate, speed(n, densest) / air.dz[n]);
  }
  const int cycles = std::max(1, static_cast<int>(std::ceil(dt * rate / 0.8)));
  const double dt0 = dt / cycles;
  air.rain_rate.assign(columns, 0);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> flux(levels + 1, 0.0);
      for (std::size_t k = 0; k < levels; ++k) {
        const std::size_t n = c + columns * k;
        const double v = std::min(speed(n, air.rho[c]), air.dz[n] / dt0);
        flux[k] = air.rho[n] * air.qr[n] * v;
      }
      air.rain_rate[c] += flux[0] / cycles;
      air.fallen[c] += dt0 * flux[0];
      for (std::size_t k = 0; k < levels; ++k) {
        const std::size_t n = c + columns * k;
        const double r = 0.001 * air.rho[n], pi = air.pi[n];
        double &theta = air.theta[n], &qv = air.qv[n], &qc = air.qc[n], &qr = air.qr[n];
        const double sediment = dt0 * (flux[k + 1] - flux[k]) / air.mass(n);
        const double product = qc - (qc - dt0 * std::max(1e-3 * (qc - 1e-3), 0.0)) /
                                        (1 + 2.2 * dt0 * std::pow(qr, 0.875));
        qc = std::max(qc - product, 0.0);
        qr = std::max(qr + product + sediment, 0.0);
        const double qvs = saturation_of(pi, theta);
        const double pc = 3.8 / (1000 * std::pow(pi, 1 / 0.2875));
        const double f5 = 237.3 * 17.27 * 2.5e6 / 1003;
        const double cond = (qv - qvs) / (1 + qvs * f5 / std::pow(pi * theta - 36, 2));
        const double ventilated =
            (1.6 + 124.9 * std::pow(r * qr, 0.2046)) * std::pow(r * qr, 0.525);
        const double rate_of_evaporation = ventilated / (2.55e6 * pc / (3.8 * qvs) + 5.4e5);
        const double evaporated =
            std::min({dt0 * rate_of_evaporation * std::max(qvs - qv, 0.0) / (r * qvs),
                      std::max(-cond - qc, 0.0), qr});
        const double condensed = std::max(cond, -qc);
        theta += 2.5e6 / (1003 * pi) * (condensed - evaporated);
        qv = std::max(qv - condensed + evaporated, 0.0);
        qc += condensed;
        qr -= evaporated;
      }
    }
  }
  return cycles;
}

/// The same by goban.
template <class T>
class Rain {
 public:
  explicit Rain(const Air& air, double dt, const Settings& settings = one_thread())
      : dt_("dt", dt),
        runtime_(settings),
        grid_(runtime_, {.cells = air.cells, .boundary = {periodic, periodic, mirror}}),
        fields{field("density"), field("exner"), field("thickness"), field("theta"), field("vapor"),
               field("cloud"),   field("rain"),  field("rate"),      field("fallen")},
        engine_(program(fields, dt_)) {
    const auto put = [](Field<T>& field, const std::vector<double>& values) {
      field.copy_in(std::vector<T>(values.begin(), values.end()));
    };
    put(fields.density, air.rho);
    put(fields.exner, air.pi);
    put(fields.thickness, air.dz);
    put(fields.theta, air.theta);
    put(fields.vapor, air.qv);
    put(fields.cloud, air.qc);
    put(fields.rain, air.qr);
    fields.rain_rate.fill(7);  // which a step forgets
    fields.fallen_rain.fill(0);
  }

  void run(Index steps = 1) {
    StepClock clock;
    engine_.run(steps, clock);
  }
  Air result() const {
    Air air(grid_.state()->domain(Location::cell).extents());
    const auto get = [](const Field<T>& field) {
      const std::vector<T> values = field.copy_out();
      return std::vector<double>(values.begin(), values.end());
    };
    air.rho = get(fields.density);
    air.pi = get(fields.exner);
    air.dz = get(fields.thickness);
    air.theta = get(fields.theta);
    air.qv = get(fields.vapor);
    air.qc = get(fields.cloud);
    air.qr = get(fields.rain);
    air.rain_rate = get(fields.rain_rate);
    air.fallen = get(fields.fallen_rain);
    for (auto* values : {&air.rain_rate, &air.fallen}) values->resize(air.size(1));
    return air;
  }
  static Program program(const KesslerFields<T>& fields, const Parameter<double>& dt) {
    Program step("kessler");
    add_kessler(step, fields, dt);
    return step;
  }

 private:
  Field<T> field(const char* name) { return Field<T>(grid_, name); }

  Parameter<double> dt_;
  Runtime runtime_;
  Grid grid_;

 public:
  KesslerFields<T> fields;

 private:
  Engine engine_;
};

double drawn(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// An atmosphere that is nearly saturated, in which a cell in three has cloud and one in three
/// rain, over ground of any height; levels are thicker the higher they lie.
Air some_air(Index3 cells, std::uint32_t seed = 1) {
  Air air(cells);
  std::mt19937 random(seed);
  const std::size_t columns = air.size(1);
  std::vector<double> z(columns);
  for (double& height : z) height = drawn(random, 0, 1000);
  for (std::size_t n = 0; n < air.rho.size(); ++n) {
    double& height = z[n % columns];
    air.dz[n] = drawn(random, 40, 60) + 0.05 * height;
    height += air.dz[n] / 2;
    const double temperature = 300 - 0.0065 * height + drawn(random, -2, 2);
    const double pressure = 1e5 * std::pow(1 - 0.0065 * height / 300, 5.2);
    air.pi[n] = std::pow(pressure / 1e5, 0.2875);
    air.theta[n] = temperature / air.pi[n];
    air.rho[n] = pressure / (287 * temperature);
    air.qv[n] = saturation_of(air.pi[n], air.theta[n]) * drawn(random, 0.7, 1.1);
    air.qc[n] = std::max(drawn(random, -4e-3, 3e-3), 0.0);
    air.qr[n] = std::max(drawn(random, -8e-3, 6e-3), 0.0);
    height += air.dz[n] / 2;
  }
  return air;
}

/// Levels of 100 m that are all alike, with nothing in them.
Air quiet_air(Index levels, double temperature, double pressure) {
  Air air({1, 1, levels});
  const auto fill = [&](std::vector<double>& values, double value) {
    values.assign(air.size(levels), value);
  };
  fill(air.pi, std::pow(pressure / 1e5, 0.2875));
  fill(air.theta, temperature / air.pi[0]);
  fill(air.rho, pressure / (287 * temperature));
  fill(air.dz, 100);
  return air;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}
/// Largest difference, over the largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) most = std::max(most, std::abs(a[n] - b[n]));
  return most / std::max(largest(b), 1e-300);
}
void expect_near(const Air& found, const Air& expected, double tolerance) {
  EXPECT_LE(difference(found.theta, expected.theta), tolerance);
  EXPECT_LE(difference(found.qv, expected.qv), tolerance);
  EXPECT_LE(difference(found.qc, expected.qc), tolerance);
  EXPECT_LE(difference(found.qr, expected.qr), tolerance);
  EXPECT_LE(difference(found.rain_rate, expected.rain_rate), tolerance);
  EXPECT_LE(difference(found.fallen, expected.fallen), tolerance);
}

/// Some steps beside the text.
void expect_the_text(Index3 cells, double dt, int most_cycles_at_least) {
  Air expected = some_air(cells);
  Rain<double> rain(expected, dt);
  int cycles = 0;
  for (int step = 0; step < 6; ++step) {
    cycles = std::max(cycles, kessler_by_text(expected, dt));
    rain.run();
    expect_near(rain.result(), expected, 1e-12);
  }
  EXPECT_GE(cycles, most_cycles_at_least);
  EXPECT_GT(largest(expected.fallen), 0);
}

TEST(AtmosphereKessler, OneColumn_IsThatOfTheText) { expect_the_text({1, 1, 40}, 10, 1); }
TEST(AtmosphereKessler, ManyColumns_AreThoseOfTheText) { expect_the_text({37, 5, 23}, 20, 3); }

TEST(AtmosphereKessler, WaterIsConserved) {
  const Air before = some_air({19, 6, 31});
  Rain<double> rain(before, 25);
  rain.run(40);
  const Air after = rain.result();
  EXPECT_NEAR(after.water() / before.water(), 1, 1e-13);
  double fallen = 0;
  for (const double depth : after.fallen) fallen += depth;
  EXPECT_GT(fallen, 0.01 * before.water());
}

/// Sum over cells of c_p pi theta + L q_v, J/m2, where nothing falls out.
TEST(AtmosphereKessler, SupersaturatedAir_CondensesToSaturation) {
  Air air = quiet_air(3, 290, 9e4);
  const double pi = air.pi[0], theta = air.theta[0], q_vs = saturation_of(pi, theta);
  for (std::size_t k = 0; k < 3; ++k) air.qv[k] = q_vs * (1 + 0.01 * static_cast<double>(k));
  Rain<double> rain(air, 1);
  rain.run(8);  // the first step leaves a little, being one of Newton's
  const Air after = rain.result();
  for (std::size_t k = 0; k < 3; ++k) {
    double low = 0, high = air.qv[k];  // what condenses
    for (int n = 0; n < 100; ++n) {
      const double q = (low + high) / 2;
      const bool is_more = air.qv[k] - q > saturation_of(pi, theta + 2.5e6 / (1003 * pi) * q);
      (is_more ? low : high) = q;
    }
    EXPECT_NEAR(after.qc[k], low, 1e-14) << k;
    EXPECT_NEAR(after.qv[k], air.qv[k] - low, 1e-14) << k;
    EXPECT_NEAR(after.theta[k] - theta, 2.5e6 / (1003 * pi) * low, 1e-10) << k;
    EXPECT_EQ(after.qr[k], 0) << k;
  }
  EXPECT_GT(after.qc[2], 0.4 * 0.02 * q_vs / 2);
}

TEST(AtmosphereKessler, CloudInDryAir_EvaporatesAtOnce) {
  Air air = quiet_air(1, 285, 8e4);
  const double q_vs = saturation_of(air.pi[0], air.theta[0]);
  air.qv = {0.7 * q_vs};
  air.qc = {2e-4};
  Rain<double> rain(air, 1);
  rain.run();
  const Air after = rain.result();
  EXPECT_EQ(after.qc[0], 0);
  EXPECT_NEAR(after.qv[0], air.qv[0] + 2e-4, 1e-17);
  EXPECT_NEAR(air.theta[0] - after.theta[0], 2.5e6 / (1003 * air.pi[0]) * 2e-4, 1e-12);
}

TEST(AtmosphereKessler, RainInDryAir_EvaporatesAndCools) {
  for (const double humidity : {0.5, 1.0}) {
    Air air = quiet_air(2, 295, 9.5e4);
    const double q_vs = saturation_of(air.pi[0], air.theta[0]);
    air.qv = {humidity * q_vs, humidity * q_vs};
    air.qr = {1e-3, 1e-3};
    Rain<double> rain(air, 2);
    rain.run();
    const Air after = rain.result();
    const double gained = after.qv[0] - air.qv[0];
    if (humidity == 1) {
      EXPECT_NEAR(gained, 0, 1e-16);
      EXPECT_NEAR(after.theta[0], air.theta[0], 1e-12);
      continue;
    }
    // By hand: 9.172 (7.521e-4) / (1.548e5 + 5.4e5) (0.5 / 1.122e-3), rain being 1.122 g/m3.
    EXPECT_NEAR(gained / 2, 4.424e-6, 0.001e-6);
    EXPECT_NEAR(after.theta[0] - air.theta[0], -2.5e6 / (1003 * air.pi[0]) * gained, 1e-12);
    // The lower level loses to the ground what falls into it, but for what evaporates.
    EXPECT_NEAR(after.qr[0], 1e-3 - gained, 1e-17);
    EXPECT_LT(after.qr[1], after.qr[0]);
  }
}

TEST(AtmosphereKessler, RainOfAGramInACubicMetre_FallsWith5Point5MetresASecond) {
  Air air = quiet_air(1, 288, 1e5);
  air.qv = {saturation_of(air.pi[0], air.theta[0])};
  air.qr = {1e-3 / air.rho[0]};
  Rain<double> rain(air, 1);
  rain.run(1);
  const Air after = rain.result();
  EXPECT_NEAR(after.rain_rate[0], 36.34 * std::exp(-6 * 0.1364 * std::log(10)) * 1e-3, 1e-15);
  EXPECT_NEAR(after.rain_rate[0], 5.52e-3, 0.005e-3);
  EXPECT_NEAR(after.fallen[0], after.rain_rate[0], 1e-17);
}

/// Rain in thin levels: as many short steps have the same bits.
TEST(AtmosphereKessler, FourSubcycles_AreFourSteps) {
  Air air = quiet_air(12, 280, 9e4);
  air.qv.assign(12, 0.9 * saturation_of(air.pi[0], air.theta[0]));
  for (std::size_t k = 0; k < 12; ++k) air.qr[k] = k < 6 ? 2e-3 : 0;
  const double dt = 48;  // rain falls 5.9 m/s, 2.8 levels
  Air text = air;
  ASSERT_EQ(kessler_by_text(text, dt), 4);
  Rain<double> one(air, dt), four(air, dt / 4);
  one.run();
  four.run(4);
  const Air a = one.result(), b = four.result();
  EXPECT_EQ(a.qr, b.qr);
  EXPECT_EQ(a.theta, b.theta);
  EXPECT_EQ(a.fallen, b.fallen);
  EXPECT_LT(a.qr[0], air.qr[0]);
}

/// Also where steps are far too long, and where advection has left less than nothing.
TEST(AtmosphereKessler, WaterIsNeverNegative) {
  for (const double dt : {5.0, 600.0}) {
    Air air = some_air({23, 4, 17});
    for (std::size_t n = 0; n < air.qr.size(); n += 5) air.qr[n] = -1e-19;
    for (std::size_t n = 2; n < air.qc.size(); n += 7) air.qc[n] = -1e-19;
    Rain<double> rain(air, dt);
    for (int step = 0; step < 10; ++step) {
      rain.run();
      const Air after = rain.result();
      for (const auto* water : {&after.qv, &after.qc, &after.qr, &after.rain_rate}) {
        for (const double q : *water) ASSERT_GE(q, 0) << dt << " s";
      }
      EXPECT_NEAR(after.water() / air.water(), 1, 1e-12);
    }
  }
}

/// Drizzle for which the number of sub-cycles is chosen becomes rain that falls twice as fast.
TEST(AtmosphereKessler, RainThatGrows_FallsNotThroughMoreThanThereIs) {
  Air air = quiet_air(10, 285, 9e4);
  air.qv.assign(10, saturation_of(air.pi[0], air.theta[0]));
  air.qc.assign(10, 2e-2);
  air.qr.assign(10, 1e-4);
  Rain<double> rain(air, 600);
  rain.run();
  const Air after = rain.result();
  EXPECT_NEAR(after.water() / air.water(), 1, 1e-14);
  EXPECT_GT(after.fallen[0], 10);
}

/// Autoconversion alone would take more than all cloud: nothing condenses for that.
TEST(AtmosphereKessler, CloudOfALongStep_BecomesRainAsAWhole) {
  Air air = quiet_air(1, 285, 9e4);
  air.qv = {saturation_of(air.pi[0], air.theta[0])};
  air.qc = {3e-3};
  Rain<double> rain(air, 2000);
  rain.run();
  const Air after = rain.result();
  EXPECT_NEAR(after.qc[0], 0, 1e-15);
  EXPECT_NEAR(after.qr[0], 3e-3, 1e-15);
  EXPECT_NEAR(after.qv[0], air.qv[0], 1e-15);
}

TEST(AtmosphereKessler, FloatIsNearDouble) {
  const Air air = some_air({17, 5, 30});
  Rain<float> coarse(air, 10);
  Rain<double> fine(air, 10);
  coarse.run(6);
  fine.run(6);
  expect_near(coarse.result(), fine.result(), 1e-4);
}

template <class T>
test::Experiment experiment() {
  return [](const Settings& settings) {
    Rain<T> rain(some_air({29, 14, 11}), 30, settings);
    rain.run(3);
    test::Results results;
    const auto& f = rain.fields;
    for (const auto* field :
         {&f.theta, &f.vapor, &f.cloud, &f.rain, &f.rain_rate, &f.fallen_rain}) {
      results[field->name()] = field->checksum();
    }
    return results;
  };
}
std::vector<Settings> ways() {
  test::SettingsProduct product;
  product.cuts = {{"", "", ""}, {"11,18", "", ""}, {"9,8,12", "5,9", ""}};
  product.backends = {Backend::cpu, Backend::emulated};
  product.threads = {1, 2};
  product.overlaps = {Overlap::none, Overlap::one_kernel, Overlap::two_kernel};
  product.delay_microseconds = 1;
  return product.all();
}
TEST(AtmosphereKessler, BitsAreTheSameEveryWay) {
  test::expect_same_bits(experiment<double>(), ways());
  test::expect_same_bits(experiment<float>(), ways());
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_kessler_test
