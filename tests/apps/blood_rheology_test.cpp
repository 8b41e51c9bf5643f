// Fluids that thin, between plane walls, against closed forms and quadrature; thermal noise.

#include "goban/io/case/time_value.hpp"
#include "tests/apps/blood_run.hpp"

namespace goban::blood::blood_rheology_test {
namespace {

using namespace vectors;

constexpr double half_width = 12.3;

Model driven(double force) {
  Model model;
  model.density_unit = 1;
  model.tau = 0.8;
  model.force = {force, 0.0, 0.0};
  return model;
}

/// Velocity at a distance from the middle: the integral of the rate of shear, for which
/// nu(rate) rate = force times the distance.
double exact_velocity(const Rheology& rheology, double force, double from) {
  constexpr int pieces = 2000;
  double sum = 0;
  for (int n = 0; n < pieces; ++n) {
    const double y = from + (half_width - from) * (n + 0.5) / pieces;
    double low = 0, high = 1;
    for (int k = 0; k < 100; ++k) {
      const double rate = (low + high) / 2;
      (rheology.at(rate, 0) * rate < force * y ? low : high) = rate;
    }
    sum += low;
  }
  return sum * (half_width - from) / pieces;
}

/// Casson's, without a largest viscosity: rate = (sqrt(force y) - sqrt(yield))^2 / viscosity beyond
/// the plug.
double casson_velocity(const Rheology& rheology, double force, double from) {
  const auto integral = [&](double y) {
    const double s = force * y, t = rheology.yield;
    return (s * s / 2 - 4.0 / 3 * std::sqrt(t) * std::pow(s, 1.5) + t * s) /
           (rheology.viscosity * force);
  };
  return integral(half_width) - integral(std::max(from, rheology.yield / force));
}

/// Returns the relative L2 error of the profile between walls across y, and the relative error of
/// the viscosity at the wall.
template <class Exact>
std::pair<double, double> profile_errors(const Model& model, Index steps, const Exact& exact) {
  const Index3 cells = {4, 26, 4};
  const auto distance = [](const Real3& p) { return std::abs(p[1] - 13) - half_width; };
  SmallVessel<double> vessel(model, {.cells = cells}, periodic_vessel(cells, distance));
  vessel.run(steps);
  vessel.observe();
  double square = 0, norm_square = 0;
  for (Index j = 1; j < 25; ++j) {
    const double expected = exact(std::abs(static_cast<double>(j) + 0.5 - 13));
    const double found = vessel.step.velocity.get({1, j, 2});
    square += (found - expected) * (found - expected);
    norm_square += expected * expected;
  }
  const double force = model.force[0].at(0);
  const double shear = vessel.step.wall_shear_stress.get({1, 1, 2});
  return {std::sqrt(square / norm_square), shear / (force * half_width) - 1};
}

TEST(BloodRheology, CarreauYasudaBetweenPlates) {
  Model model = driven(2e-5);
  model.rheology = {.kind = Rheology::Kind::carreau_yasuda,
                    .zero = 0.3,
                    .infinite = 0.02,
                    .time = 3000,
                    .power = 2,
                    .exponent = 0.4};
  const auto [velocity, shear] = profile_errors(
      model, 12000, [&](double y) { return exact_velocity(model.rheology, 2e-5, y); });
  EXPECT_LT(velocity, 0.01);
  EXPECT_NEAR(shear, 0, 1e-5);
}

TEST(BloodRheology, CassonBetweenPlates) {
  Model model = driven(2e-5);
  model.rheology = {.kind = Rheology::Kind::casson, .viscosity = 0.03, .yield = 6e-5, .largest = 3};
  const auto [velocity, shear] = profile_errors(
      model, 20000, [&](double y) { return casson_velocity(model.rheology, 2e-5, y); });
  EXPECT_LT(velocity, 0.01);
  EXPECT_NEAR(shear, 0, 1e-5);
}

TEST(BloodRheology, ThermalNoise_HasItsEnergy) {
  Model model;
  model.density_unit = 1;
  model.tau = 0.7;
  model.temperature = 1e-5;
  const Index3 cells = {16, 16, 16};
  SmallVessel<double> vessel(model, {.cells = cells},
                             periodic_vessel(cells, [](const Real3&) { return -1.0; }));
  double square[3] = {}, density = 0;
  vessel.run(200);
  constexpr int samples = 20;
  for (int n = 0; n < samples; ++n) {
    vessel.run(20);
    vessel.observe();
    const auto u = vessel.step.velocity.copy_out(), p = vessel.step.pressure.copy_out();
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) square[a] += u[a * p.size() + i] * u[a * p.size() + i];
      density += 9 * p[i] * p[i];
    }
  }
  const double count = samples * 4096.0;
  for (const double sum : square) EXPECT_NEAR(sum / count, 1e-5, 2e-7);  // kT / rho
}

}  // namespace
}  // namespace goban::blood::blood_rheology_test
