// The viscosity of eddies that the grid does not resolve.

#include "tests/apps/flow_run.hpp"

namespace goban::flow::flow_subgrid_test {
namespace {

constexpr double nu = 0.01, smagorinsky = 0.17;

Model with_eddies(int dimensions) {
  Model model;
  model.dimensions = dimensions;
  model.viscosity = nu;
  model.smagorinsky = smagorinsky;
  return model;
}

/// A velocity field u_a = sum over b of G_ab x_b away from the sides: (C delta)^2 sqrt(2 S:S).
TEST(FlowSubgrid, ViscosityOfALinearField_IsThatOfSmagorinskysFormula) {
  const double G[3][3] = {{0.3, -1.1, 0.7}, {0.2, 0.5, -0.4}, {1.3, 0.9, -0.8}};
  const Real3 h{0.1, 0.2, 0.05};
  SmallFlow<3, double> flow(with_eddies(3), {.cells = {8, 8, 8}, .spacing = h});
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    flow.step.faces[a].fill(
        [&](Position p) { return G[a][0] * p.x + G[a][1] * p.y + G[a][2] * p.z; });
    for (std::size_t b = 0; b < 3; ++b) square += 2 * std::pow((G[a][b] + G[b][a]) / 2, 2);
  }
  flow.observe();
  const double length = smagorinsky * std::cbrt(h[0] * h[1] * h[2]);
  EXPECT_NEAR(flow.step.subgrid->get({4, 3, 5}), length * length * std::sqrt(square), 1e-12);
  flow.sum_up();
  EXPECT_GT(flow.step.to_eddies.value(), 0);
}

/// u = y^2 and s = y^2 between walls far away: du/dt = d/dy (nu + l^2 |u'|) u', ds/dt likewise.
TEST(FlowSubgrid, StressAndFluxOfAParabola_AreThoseOfTheMixingLength) {
  Model model = with_eddies(2);
  model.edges = {std::array{Edge::periodic, Edge::periodic},
                 {Edge::wall, Edge::wall},
                 {Edge::periodic, Edge::periodic}};
  model.dt = 1e-4;
  model.turbulent_prandtl = 0.5;
  constexpr double kappa = 0.02;
  model.scalars = {{.diffusivity = kappa, .boundary = BoundarySet(periodic, mirror, periodic)}};
  const double h = 1.0 / 32;
  SmallFlow<2, double> flow(model, {.cells = {8, 32, 1}, .spacing = h});
  const auto square = [](Position p) { return p.y * p.y; };
  flow.step.faces[0].fill(square);
  flow.step.scalars[0].fill(square);
  flow.run(1);
  const Index3 at{3, 20, 0};
  const double y = (20 + 0.5) * h, l2 = std::pow(smagorinsky * h, 2);
  const auto rate = [&](const Field<double>& field) { return (field.get(at) - y * y) / *model.dt; };
  EXPECT_NEAR(rate(flow.step.faces[0]), 2 * nu + 8 * l2 * y, 0.002 * 8 * l2 * y);
  EXPECT_NEAR(rate(flow.step.scalars[0]), 2 * kappa + 8 * l2 * y / 0.5, 0.002 * 16 * l2 * y);
}

/// What the flow loses is what friction and eddies are said to take.
TEST(FlowSubgrid, Energy_GoesToFrictionAndEddies) {
  Model model = with_eddies(3);
  model.viscosity = 1e-3;
  const double length = 2 * std::numbers::pi;
  const Real3 box{length, length, length};
  model.initial = {mode("velocity_x", 1, {1, 1, 1}, {false, true, true}, box),
                   mode("velocity_y", -1, {1, 1, 1}, {true, false, true}, box)};
  model.dt = 2e-3;
  double shares[2];
  for (const Index n : {16, 32}) {
    SmallFlow<3, double> flow(model,
                              {.cells = {n, n, n}, .spacing = length / static_cast<double>(n)});
    const auto energy = [&] {
      flow.sum_up();
      return flow.step.kinetic_energy.value();
    };
    const double before = energy();
    const double taken_before = nu / 10 * flow.step.shear.value() + flow.step.to_eddies.value();
    flow.run(1);
    const double lost = before - energy();
    const double taken = nu / 10 * flow.step.shear.value() + flow.step.to_eddies.value();
    EXPECT_GT(flow.step.to_eddies.value(), nu / 10 * flow.step.shear.value());
    shares[n / 32] = lost / (*model.dt * (taken_before + taken) / 2);
  }
  EXPECT_NEAR(shares[0], 1, 0.04);
  EXPECT_NEAR(shares[1], 1, 0.01);
}

/// Between walls under a constant force, with damping: (nu + l^2 u') u' = f (1/2 - y).
TEST(FlowSubgrid, DampedChannel_HasTheProfileOfTheMixingLength) {
  constexpr double force = 2, speed = 1;  // friction velocity: sqrt(force / 2)
  double errors[2];
  for (const Index n : {16, 32}) {
    Model model = with_eddies(2);
    model.viscosity = 0.01;
    model.smagorinsky = 0.4 * static_cast<double>(n) / 16;  // the same length on both grids
    model.friction_velocity = speed;
    model.acceleration = {force, 0.0, 0.0};
    model.edges = {std::array{Edge::periodic, Edge::periodic},
                   {Edge::wall, Edge::wall},
                   {Edge::periodic, Edge::periodic}};
    const double h = 1.0 / static_cast<double>(n);
    SmallFlow<2, double> flow(model, {.cells = {4, n, 1}, .spacing = h});
    const auto slope = [&](double y) {
      const double l = model.mixing_length({0, y, 0}, *flow.grid().state());
      const double stress = force * (0.5 - y);
      return 2 * stress / (nu + std::sqrt(nu * nu + 4 * l * l * stress));
    };
    std::vector<double> exact;
    double u = 0, y = 0;
    constexpr int parts = 200;
    for (Index j = 0; j < n / 2; ++j) {
      const double d = (static_cast<double>(j) + 0.5) * h - y;
      for (int i = 0; i < parts; ++i) u += slope(y + (i + 0.5) * d / parts) * d / parts;
      y += d;
      exact.push_back(u);
    }
    flow.step.faces[0].fill(
        [&](Index3 p) { return exact[static_cast<std::size_t>(std::min(p[1], n - 1 - p[1]))]; });
    flow.run_until(4);
    double& error = errors[n / 32] = 0;
    for (Index j = 0; j < n / 2; ++j) {
      error = std::max(
          error, std::abs(flow.step.faces[0].get({0, j, 0}) - exact[static_cast<std::size_t>(j)]));
    }
    error /= exact.back();
  }
  EXPECT_LT(errors[1], 0.01);
  EXPECT_GT(errors[0] / errors[1], 3);
}

}  // namespace
}  // namespace goban::flow::flow_subgrid_test
