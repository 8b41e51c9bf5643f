// Moist air in closed form: the gas law, theta_m, theta_e.

#include "atmosphere/moisture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "goban/goban.hpp"
#include "tests/apps/one_thread.hpp"

namespace goban::atmosphere::atmosphere_moisture_test {
namespace {

constexpr double R_d = 287, R_v = 461.5, c_p = 1004.5, L = 2.5e6, c_l = 4186;

/// A cell of air at this temperature [K] and pressure [Pa].
struct Parcel {
  double temperature, pressure, q_v = 0, q_c = 0, q_r = 0;

  double exner() const { return std::pow(pressure / 1e5, R_d / c_p); }
  double theta() const { return temperature / exner(); }
  double dry_pressure() const { return pressure / (1 + q_v * R_v / R_d); }
  double dry_density() const { return dry_pressure() / (R_d * temperature); }
  double density() const { return dry_density() * (1 + q_v + q_c + q_r); }
};

/// MoistTheta the other way. Arguments: theta_m [K], q_v, q_c, q_r, theta [K].
template <class T>
struct DryTheta {
  MoistAir<T> air{};
  GOBAN_FUNCTION void operator()(auto moist, auto vapor, auto cloud, auto rain, auto theta) const {
    theta = moist() / air.theta_ratio(vapor(), cloud() + rain());
  }
};

/// pi of the equation of state. Arguments: rho [kg/m3], theta_m [K], pi.
template <class T>
struct ExnerOfState {
  MoistAir<T> air{};
  GOBAN_FUNCTION void operator()(auto density, auto moist, auto exner) const {
    exner = air.exner(density() * moist());
  }
};

/// Equivalent potential temperature as an output. Arguments: pi, theta [K], q_v, q_c, q_r,
/// theta_e [K].
template <class T>
struct EquivalentTheta {
  MoistAir<T> air{};
  GOBAN_FUNCTION void operator()(auto exner, auto theta, auto vapor, auto cloud, auto rain,
                                 auto equivalent) const {
    equivalent =
        air.equivalent_theta(exner() * theta(), air.pressure(exner()), vapor(), cloud() + rain());
  }
};

/// The functors over one cell that holds the parcel.
struct Seen {
  double theta_m, theta, exner, theta_e;

  explicit Seen(const Parcel& parcel) {
    Runtime runtime(one_thread());
    Grid grid(runtime, {.cells = {1, 1, 1}});
    const auto field = [&](const char* name, double value) {
      Field<double> made(grid, name);
      made.fill(value);
      return made;
    };
    const auto rho = field("density", parcel.density()), dry = field("theta", parcel.theta()),
               v = field("vapor", parcel.q_v), c = field("cloud", parcel.q_c),
               r = field("rain", parcel.q_r), moist = field("moist", 0), pi = field("exner", 0),
               again = field("again", 0), e = field("equivalent", 0);
    Program step("moisture");
    step.apply(MoistTheta<double>{}, in(dry), in(v), in(c), in(r), out(moist));
    step.apply(DryTheta<double>{}, in(moist), in(v), in(c), in(r), out(again));
    step.apply(ExnerOfState<double>{}, in(rho), in(moist), out(pi));
    step.apply(EquivalentTheta<double>{}, in(pi), in(dry), in(v), in(c), in(r), out(e));
    StepClock clock;
    Engine(step).run(1, clock);
    theta_m = moist.get({0, 0, 0});
    theta = again.get({0, 0, 0});
    exner = pi.get({0, 0, 0});
    theta_e = e.get({0, 0, 0});
  }
};

TEST(AtmosphereMoisture, PressureOfMoistAir_IsThatOfItsGases) {
  const Parcel parcel{
      .temperature = 293, .pressure = 8.7e4, .q_v = 0.015, .q_c = 2e-3, .q_r = 1e-3};
  const Seen seen(parcel);
  EXPECT_NEAR(seen.exner, parcel.exner(), 1e-14);
  EXPECT_NEAR(seen.theta, parcel.theta(), 1e-12);
  const double rho_d = parcel.dry_density(), rho_v = parcel.q_v * rho_d;
  const double expected = parcel.theta() * (rho_d + R_v / R_d * rho_v) / parcel.density();
  EXPECT_NEAR(seen.theta_m, expected, 1e-12);
  EXPECT_GT(std::abs(seen.theta_m - parcel.theta()), 1);
}

TEST(AtmosphereMoisture, ThetasOfDryAir_AreOne) {
  const Parcel parcel{.temperature = 260, .pressure = 5e4};
  const Seen seen(parcel);
  EXPECT_NEAR(seen.theta_m, parcel.theta(), 1e-12);
  EXPECT_NEAR(seen.theta_e, parcel.theta(), 1e-11);
}

/// d ln theta_e = 0 is the first law of a saturated parcel that keeps its water:
///   c dT / T - R_d dp_d / p_d + d(L q_v / T) = 0,  c = c_p + c_l q_t.
TEST(AtmosphereMoisture, ReversibleAscent_KeepsEquivalentTheta) {
  const double q_t = 0.02, c = c_p + c_l * q_t;
  // Saturated: e_s = 611 Pa exp(L / R_v (1 / 273 K - 1 / T)).
  const auto saturated = [&](double temperature, double dry_pressure) {
    const double e = 611 * std::exp(L / R_v * (1 / 273.0 - 1 / temperature));
    const double q_v = R_d / R_v * e / dry_pressure;
    return Parcel{.temperature = temperature,
                  .pressure = dry_pressure + e,
                  .q_v = q_v,
                  .q_c = 0.7 * (q_t - q_v),
                  .q_r = 0.3 * (q_t - q_v)};
  };
  const auto q_per_t = [&](double temperature, double log_p) {
    return saturated(temperature, std::exp(log_p)).q_v / temperature;
  };
  double temperature = 295, log_p = std::log(9.6e4);
  const Seen below(saturated(temperature, std::exp(log_p)));
  const int steps = 4000;
  const double rise = -std::log(2.5) / steps, h = 1e-4;
  const auto slope = [&](double t, double p) {  // dT / d ln p_d
    const double by_t = (q_per_t(t + h, p) - q_per_t(t - h, p)) / (2 * h);
    const double by_p = (q_per_t(t, p + h) - q_per_t(t, p - h)) / (2 * h);
    return (R_d - L * by_p) / (c / t + L * by_t);
  };
  for (int n = 0; n < steps; ++n) {
    const double half = temperature + rise / 2 * slope(temperature, log_p);
    temperature += rise * slope(half, log_p + rise / 2);
    log_p += rise;
  }
  const Seen above(saturated(temperature, std::exp(log_p)));
  EXPECT_NEAR(above.theta_e / below.theta_e, 1, 1e-7);
  EXPECT_GT(above.theta - below.theta, 20);  // K, by latent heat
}

}  // namespace
}  // namespace goban::atmosphere::atmosphere_moisture_test
