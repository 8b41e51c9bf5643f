// Vortices that decay: order in space and time, energy, divergence.

#include "tests/apps/flow_run.hpp"

namespace goban::flow::flow_vortex_test {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

/// u = sin x cos y, v = -cos x sin y, with a wind along both axes that carries them.
Model vortices(double viscosity) {
  Model model = plane_model(viscosity);
  const Real3 length{two_pi, two_pi, 1};
  model.initial = {mode("velocity_x", 1, {1, 1, 0}, {false, true, false}, length),
                   mode("velocity_y", -1, {1, 1, 0}, {true, false, false}, length)};
  return model;
}

/// Largest difference from what decays as exp(-2 nu k^2 t).
double error_at(double time, const Model& model, Index cells, double k2) {
  const double h = two_pi / static_cast<double>(cells);
  SmallFlow<2, double> flow(model, {.cells = {cells, cells, 1}, .spacing = h});
  flow.run_until(time);
  const double decay = std::exp(-2 * model.viscosity * k2 * time);
  const std::vector<double> u = flow.step.faces[0].copy_out();
  double most = 0;
  for (Index j = 0; j < cells; ++j) {
    for (Index i = 0; i < cells; ++i) {
      const double exact = decay * std::sin(static_cast<double>(i) * h) *
                           std::cos((static_cast<double>(j) + 0.5) * h);
      most = std::max(most, std::abs(u[static_cast<std::size_t>(j * cells + i)] - exact));
    }
  }
  return most;
}

TEST(FlowVortex, DecayInThePlaneIsOfSecondOrderInSpace) {
  Model model = vortices(0.05);
  model.dt = 0.01;
  const double coarse = error_at(0.5, model, 16, 1), fine = error_at(0.5, model, 32, 1);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  EXPECT_LT(fine, 1e-3);
  model.pressure.in_single = true;
  EXPECT_NEAR(error_at(0.5, model, 32, 1), fine, 1e-9);
}

/// The k^2 of differences, so that time alone is left.
double order_in_time(TimeScheme scheme, double dt) {
  Model model = vortices(0.5);
  model.scheme = scheme;
  constexpr Index cells = 16;
  const double h = two_pi / cells, k = 2 * std::sin(h / 2) / h;
  model.dt = dt;
  const double coarse = error_at(0.8, model, cells, k * k);
  model.dt = dt / 2;
  return std::log2(coarse / error_at(0.8, model, cells, k * k));
}

TEST(FlowVortex, DecayIsOfTheOrderOfItsSchemeInTime) {
  EXPECT_NEAR(order_in_time(TimeScheme::ab2, 0.02), 2, 0.15);
  EXPECT_NEAR(order_in_time(TimeScheme::rk3, 0.08), 3, 0.15);
}

/// Vortices in space, carried by a wind, on cells that are no cubes.
Model vortices_in_space(double viscosity) {
  Model model;
  model.viscosity = viscosity;
  const Real3 length{two_pi, two_pi, two_pi};
  model.initial = {mode("velocity_x", 1, {1, 1, 1}, {false, true, true}, length),
                   mode("velocity_y", -1, {1, 1, 1}, {true, false, true}, length),
                   {"velocity_z", Profile{.amplitude = 0.3}}};
  return model;
}
const GridOptions box{.cells = {16, 12, 10}, .spacing = {two_pi / 16, two_pi / 12, two_pi / 10}};

TEST(FlowVortex, FrictionTakesTheEnergyThatItShows) {
  Model model = vortices_in_space(0.1);
  model.scheme = TimeScheme::rk3;
  model.dt = 0.01;
  SmallFlow<3, double> flow(model, box);
  const auto energy_after = [&](Index steps) {
    flow.run(steps);
    flow.sum_up();
    return flow.step.kinetic_energy.value();
  };
  const double before = energy_after(4);
  energy_after(1);
  const double loss = model.viscosity * flow.step.shear.value() * 2 * *model.dt;
  EXPECT_NEAR((before - energy_after(1)) / loss, 1, 1e-4);
}

TEST(FlowVortex, EnergyWithoutFrictionStaysTheBetterTheShorterTheStep) {
  const auto drift = [](double dt) {
    Model model = vortices_in_space(1e-12);
    model.scheme = TimeScheme::rk3;
    model.dt = dt;
    SmallFlow<3, double> flow(model, box);
    flow.sum_up();
    const double before = flow.step.kinetic_energy.value();
    flow.run(std::lround(0.8 / dt));
    flow.sum_up();
    return std::abs(flow.step.kinetic_energy.value() / before - 1);
  };
  const double coarse = drift(0.16), fine = drift(0.08);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse / 6);
}

TEST(FlowVortex, DivergenceStaysBelowTheTolerance) {
  for (const auto scheme : {TimeScheme::ab2, TimeScheme::rk3}) {
    Model model = vortices_in_space(0.01);
    model.scheme = scheme;
    SmallFlow<3, double> flow(model, box);
    flow.run(7);
    flow.sum_up();
    // The share of what flows, which was not known to a percent before.
    const double share = flow.step.divergence.value() / flow.step.courant_rate.value();
    EXPECT_LT(share, 1.01e-6);
    EXPECT_GT(share, 1e-12);
  }
}

TEST(FlowVortex, ChosenStepsKeepTheirCourantNumberAndMeetTheEnd) {
  Model model = vortices(0.001);
  model.courant = 0.3;
  SmallFlow<2, double> flow(model, {.cells = {16, 16, 1}, .spacing = two_pi / 16});
  flow.run(20);
  flow.sum_up();
  EXPECT_NEAR(flow.step.courant_rate.value() * flow.step.dt.value(), 0.3, 0.01);
  flow.run_until(flow.clock.time + 0.5);
  EXPECT_LE(flow.step.courant_rate.value() * flow.step.dt.value(), 0.3);
}

}  // namespace
}  // namespace goban::flow::flow_vortex_test
