// Slow flows, with the pressure as accurate as it is by default.

#include <algorithm>
#include <numeric>

#include "goban/stencil/staggered.hpp"
#include "tests/apps/flow_run.hpp"

namespace goban::flow::flow_creeping_test {
namespace {

/// Fluid that a force drives along x around a body in the middle of a periodic unit box.
template <int D>
Model around(const SolidBody& body) {
  Model model;
  model.dimensions = D;
  model.acceleration = {1e-4, 0.0, 0.0};
  model.solids.bodies = {body};
  return model;
}

/// What flows through planes across x, the mean over the plane of cells.
template <int D>
std::vector<double> flow_through_planes(const SmallFlow<D, double>& flow) {
  const std::vector<double> u = flow.step.faces[0].copy_out();
  const auto n = static_cast<std::size_t>(flow.grid().cells()[0]);
  std::vector<double> all(n);
  for (std::size_t i = 0; i < u.size(); ++i) all[i % n] += u[i];
  for (double& one : all) one /= static_cast<double>(u.size() / n);
  return all;
}

/// F / (mu U) of a body of an array that a pressure drop of F over a unit cell drives: of a cell of
/// unit volume that a force does.
template <int D>
double drag(const Model& model, Index n, double time) {
  SmallFlow<D, double> flow(model, unit_box<D>(n));
  flow.run_until(time);
  flow.sum_up();
  const auto planes = flow_through_planes(flow);
  const double mean = std::accumulate(planes.begin(), planes.end(), 0.0) / static_cast<double>(n);
  for (const double plane : planes) EXPECT_NEAR(plane / mean, 1, 1e-4);
  EXPECT_LT(flow.step.divergence.value(), 2e-6 * flow.step.courant_rate.value());
  return model.acceleration[0].at(0) / (model.viscosity * mean);
}

/// Sangani, Acrivos, Int. J. Multiphase Flow 8 (1982) 193: 217.89 where cylinders are 0.4 of the
/// volume; their steps of cells are what is missed.
TEST(FlowCreeping, AroundASquareArrayOfCylinders_HasThePublishedDrag) {
  const Model model = around<2>({.shape = SolidBody::Shape::cylinder,
                                 .lower = {0, 0, -1},
                                 .upper = {1, 1, 1},
                                 .center = {0.5, 0.5, 0},
                                 .radius = std::sqrt(0.4 / std::numbers::pi)});
  EXPECT_NEAR(drag<2>(model, 32, 0.1), 217.89, 0.06 * 217.89);
  Model exact = model;
  exact.pressure.tolerance = 1e-12;
  EXPECT_NEAR(drag<2>(model, 16, 0.05) / drag<2>(exact, 16, 0.05), 1, 1e-5);
}

/// Zick, Homsy, J. Fluid Mech. 115 (1982) 13: F / (6 pi mu a U) = 15.4 where spheres in a cubic
/// array are 0.343 of the volume.
TEST(FlowCreeping, AroundACubicArrayOfSpheres_HasThePublishedDrag) {
  const double radius = std::cbrt(0.343 * 3 / (4 * std::numbers::pi));
  const Model model = around<3>({.center = {0.5, 0.5, 0.5}, .radius = radius});
  const double found = drag<3>(model, 16, 0.08) / (6 * std::numbers::pi * radius);
  EXPECT_NEAR(found, 15.4, 0.06 * 15.4);
}

/// The same numbers, whatever the unit of length.
TEST(FlowCreeping, ACavityIsTheSameInMillimetres) {
  const auto velocities = [](double scale) {
    Model model = plane_model(0.01 * scale * scale);
    model.edges = {walls, {Edge::wall, Edge::moving}, open};
    model.wall_velocity = {scale, 0.0, 0.0};
    model.speed = scale;
    GridOptions grid = unit_box<2>(16);
    for (double& h : grid.spacing.value) h *= scale;
    SmallFlow<2, double> flow(model, grid);
    flow.run(60);
    std::vector<double> u = flow.step.faces[0].copy_out();
    for (double& one : u) one /= scale;
    return u;
  };
  const auto metres = velocities(1), millimetres = velocities(1e-3);
  for (std::size_t i = 0; i < metres.size(); ++i) {
    ASSERT_NEAR(millimetres[i], metres[i], 1e-9);
  }
}

/// Standing waves of small amplitude in a stratified layer: their energy decays as
/// exp(-(nu + kappa) K^2 t), with the K of differences, whatever the pressure of the layer at rest.
TEST(FlowCreeping, InternalWavesDecayAsTheyShould) {
  constexpr Index n = 16;
  constexpr double nu = 1e-3, kappa = 1e-3, amplitude = 1e-5, pi = std::numbers::pi;
  Model model = plane_model(nu);
  model.edges = {open, slips, open};
  model.gravity = {0, -1, 0};
  Scalar temperature{.diffusivity = kappa, .expansion = 1};
  temperature.boundary = BoundarySet(periodic, wall_value(0), periodic);
  temperature.boundary.sides[1][1] = wall_value(1);
  model.scalars = {temperature};
  const Real3 length{1, 1, 1};
  model.initial = {
      mode("velocity_x", amplitude * pi, {1, 0.5, 0}, {false, true, false}, length),
      mode("velocity_y", -amplitude * 2 * pi, {1, 0.5, 0}, {true, false, false}, length)};
  model.dt = 0.04;
  SmallFlow<2, double> flow(model, unit_box<2>(n));
  flow.step.scalars[0].fill([](Position at) { return at.y; });
  const double h = 1.0 / n;
  const auto k = [&](double wave) { return 2 * std::sin(wave * h / 2) / h; };
  const double square = k(2 * pi) * k(2 * pi) + k(pi) * k(pi);
  // u = v = 0 once half a period; the energy of what moves is that of the wave at whole periods.
  const double frequency = k(2 * pi) / std::sqrt(square) * std::cos(pi * h / 2);
  const double period = 2 * pi / frequency;
  const auto energy_at = [&](double time) {
    flow.run_until(time);
    flow.sum_up();
    return flow.step.kinetic_energy.value();
  };
  const double before = energy_at(period);
  const double rate = std::log(before / energy_at(3 * period)) / (2 * period);
  EXPECT_NEAR(rate / ((nu + kappa) * square), 1, 0.02);
}

}  // namespace
}  // namespace goban::flow::flow_creeping_test
