// Cavities, rolls and layers beside published values.

#include <algorithm>

#include "tests/apps/flow_run.hpp"

namespace goban::flow::flow_cavity_test {
namespace {

/// Ghia, Ghia, Shin, J. Comput. Phys. 48 (1982) 387 is off by more than this: extrema of spectral
/// solutions (Botella, Peyret, Computers & Fluids 27 (1998) 421).
TEST(FlowCavity, UnderALid_HasThePublishedExtrema) {
  Model model = plane_model(0.01);
  model.edges = {walls, {Edge::wall, Edge::moving}, open};
  model.wall_velocity = {1.0, 0.0, 0.0};
  model.speed = 1;
  constexpr Index n = 64;
  SmallFlow<2, double> flow(model, unit_box<2>(n));
  flow.run_until(15);
  const std::vector<double> u = flow.step.faces[0].copy_out({{n / 2, 0, 0}, {n / 2 + 1, n, 1}});
  const std::vector<double> v = flow.step.faces[1].copy_out({{0, n / 2, 0}, {n, n / 2 + 1, 1}});
  EXPECT_NEAR(*std::min_element(u.begin(), u.end()), -0.2140417, 0.01 * 0.214);
  EXPECT_NEAR(*std::max_element(v.begin(), v.end()), 0.1795728, 0.01 * 0.18);
  EXPECT_NEAR(*std::min_element(v.begin(), v.end()), -0.2538030, 0.01 * 0.254);
}

/// Between walls at 1 and 0; lengths, times over the side and the diffusivity.
Model convection(double prandtl, double rayleigh, std::size_t axis) {
  Model model = plane_model(prandtl);
  model.gravity = {0, -rayleigh * prandtl, 0};
  Scalar temperature{.diffusivity = 1, .expansion = 1, .reference = 0.5};
  temperature.boundary = BoundarySet(mirror);
  temperature.boundary.sides[2] = {periodic, periodic};
  temperature.boundary.sides[axis] = {wall_value(1), wall_value(0)};
  model.scalars = {temperature};
  model.initial = {{"temperature", Profile{.amplitude = 0.5}}};
  return model;
}

/// What goes through both walls, over what fluid at rest would conduct.
double nusselt_number(SmallFlow<2, double>& flow, std::size_t axis) {
  flow.sum_up();
  const auto& across = flow.step.across[0][axis];
  const Index3 cells = flow.grid().cells();
  return (across[1].value() - across[0].value()) / 2 * static_cast<double>(cells[axis]) /
         static_cast<double>(cells[1 - axis]);
}

/// De Vahl Davis' benchmark; 2.24482 from a spectral solution.
TEST(FlowCavity, HeatedFromTheSide_HasThePublishedNusseltNumber) {
  Model model = convection(0.71, 1e4, 0);
  model.edges = {walls, walls, open};
  constexpr Index n = 48;
  SmallFlow<2, double> flow(model, unit_box<2>(n));
  flow.run_until(0.25);
  EXPECT_NEAR(nusselt_number(flow, 0), 2.24482, 0.005 * 2.245);
}

/// Clever, Busse, J. Fluid Mech. 65 (1974) 625: 1.663 at Ra 3000, wave number 3.117.
TEST(FlowCavity, RollsOverAWarmFloor_HaveThePublishedNusseltNumber) {
  Model model = convection(0.71, 3000, 1);
  model.edges = {slips, walls, open};
  constexpr Index n = 32;
  const double length = std::numbers::pi / 3.117;
  model.initial.push_back(
      mode("temperature", 0.1, {0.5, 0.5, 0}, {true, false, false}, {length, 1, 1}));
  SmallFlow<2, double> flow(model, {.cells = {n, n, 1}, .spacing = {length / n, 1.0 / n, 1}});
  flow.run_until(1);
  EXPECT_NEAR(nusselt_number(flow, 1), 1.663, 0.01 * 1.663);
}

/// What is steady gives as much kinetic energy to friction as the heat that it carries has lifted:
/// Nu = 1 + (grad u)^2 / Ra, with the differences of the scheme, too, exactly.
TEST(FlowCavity, SteadyRolls_DissipateWhatTheirNusseltNumberSays) {
  constexpr double rayleigh = 5000;
  Model model = convection(0.71, rayleigh, 1);
  model.edges = {slips, walls, open};
  constexpr Index n = 16;
  const double length = std::numbers::pi / 3.117;
  model.initial.push_back(
      mode("temperature", 0.1, {0.5, 0.5, 0}, {true, false, false}, {length, 1, 1}));
  SmallFlow<2, double> flow(model, {.cells = {n, n, 1}, .spacing = {length / n, 1.0 / n, 1}});
  flow.run_until(3);
  const double nusselt = nusselt_number(flow, 1);
  EXPECT_GT(nusselt, 2);
  EXPECT_NEAR(1 + flow.step.shear.value() / (n * n) / rayleigh, nusselt, 1e-9);
}

/// Growth of small rolls falls through 0 at the critical Rayleigh number, 1707.76 (Chandrasekhar,
/// Hydrodynamic and hydromagnetic stability, 1961).
TEST(FlowCavity, SmallRolls_GrowBeyondTheCriticalRayleighNumber) {
  const auto growth = [](double rayleigh) {
    Model model = convection(0.71, rayleigh, 1);
    model.edges = {slips, walls, open};
    constexpr Index n = 32;
    constexpr double k = 3.117, length = std::numbers::pi / k;
    SmallFlow<2, double> flow(model, {.cells = {n, n, 1}, .spacing = {length / n, 1.0 / n, 1}});
    flow.step.scalars[0].fill([](Position at) {
      return 1 - at.y + 1e-3 * std::sin(std::numbers::pi * at.y) * std::cos(k * at.x);
    });
    const auto energy_at = [&](double time) {
      flow.run_until(time);
      flow.sum_up();
      return flow.step.kinetic_energy.value();
    };
    const double before = energy_at(0.2);
    return std::log(energy_at(0.4) / before) / (2 * 0.2);
  };
  const double low = 1650, high = 1770, at_low = growth(low), at_high = growth(high);
  EXPECT_LT(at_low, 0);
  EXPECT_GT(at_high, 0);
  EXPECT_NEAR(low - at_low * (high - low) / (at_high - at_low), 1707.76, 0.005 * 1707.76);
}

/// A heavy layer over a light one, their interface a small wave: it grows as
/// exp(n t), n = sqrt(A g k + nu^2 k^4) - nu k^2 (Duff, Harlow, Hirt, Phys. Fluids 5 (1962) 417).
TEST(FlowCavity, WavesOfAHeavyLayerOnALightOne_GrowAsTheyShould) {
  constexpr double viscosity = 0.002, gravity = 10, difference = 0.1, length = 1;
  constexpr double k = 2 * std::numbers::pi / length;
  Model model = plane_model(viscosity);
  model.gravity = {0, -gravity, 0};
  model.edges = {open, walls, open};
  Scalar salt{.name = "salt", .diffusivity = 1e-5, .expansion = -1};
  salt.boundary = BoundarySet(periodic, mirror, periodic);
  model.scalars = {salt};
  constexpr Index n = 48;
  const double h = length / n;
  SmallFlow<2, double> flow(model, {.cells = {n, 2 * n, 1}, .spacing = h});
  // The part of each cell that lies above the wave.
  flow.step.scalars[0].fill([&](Position at) {
    const double wave = 1 + 0.1 * h * std::cos(k * at.x);
    return difference * std::clamp((at.y - wave) / h + 0.5, 0.0, 1.0);
  });
  const auto height = [&] {
    const auto v = flow.step.faces[1].copy_out({{0, n, 0}, {n, n + 1, 1}});
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += v[static_cast<std::size_t>(i)] * std::cos(k * (static_cast<double>(i) + 0.5) * h);
    }
    return sum;
  };
  flow.run_until(0.9);
  const double before = height();
  flow.run_until(1.4);
  // difference is 2 A of the two densities, in Boussinesq's approximation.
  const double exact =
      std::sqrt(difference / 2 * gravity * k + std::pow(viscosity * k * k, 2)) - viscosity * k * k;
  EXPECT_NEAR(std::log(height() / before) / 0.5 / exact, 1, 0.05);
}

}  // namespace
}  // namespace goban::flow::flow_cavity_test
