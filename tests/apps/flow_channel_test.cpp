// Channels, inflows, bodies.

#include "goban/stencil/staggered.hpp"
#include "tests/apps/flow_run.hpp"
#include "tests/error_text.hpp"

#include <gmock/gmock.h>

namespace goban::flow::flow_channel_test {
namespace {

using ::testing::HasSubstr;
TEST(FlowChannel, BetweenALidAndAWall_IsAStraightLine) {
  Model model = plane_model(0.5);
  model.edges = {open, {Edge::wall, Edge::moving}, open};
  model.wall_velocity = {2.0, 0.0, 0.0};
  SmallFlow<2, double> flow(model, {.cells = {4, 8, 1}, .spacing = 0.125});
  flow.run_until(20);
  for (Index j = 0; j < 8; ++j) {
    EXPECT_NEAR(flow.step.faces[0].get({1, j, 0}), 2 * (static_cast<double>(j) + 0.5) / 8, 1e-10);
  }
}

/// The scheme is of second order with walls half-way: exact but for h^2/8 of the curvature.
TEST(FlowChannel, DrivenByAForce_IsAParabola) {
  for (const bool is_body : {false, true}) {  // walls of the grid, or of layers of solid cells
    Model model = plane_model(0.1);
    model.edges = {open, is_body ? open : walls, open};
    model.acceleration = {0.3, 0.0, 0.0};
    if (is_body) {
      model.solids.bodies = {
          SolidBody{.shape = SolidBody::Shape::box, .lower = {0, 1, 0}, .upper = {9, 9, 9}}};
    }
    constexpr double h = 0.125;
    SmallFlow<2, double> flow(model, {.cells = {4, is_body ? 10 : 8, 1}, .spacing = h});
    flow.run_until(40);
    for (Index j = 0; j < 8; ++j) {
      const double y = (static_cast<double>(j) + 0.5) * h;
      EXPECT_NEAR(flow.step.faces[0].get({1, j, 0}), 1.5 * (y * (1 - y) + h * h / 4), 1e-9);
    }
    if (is_body) {
      EXPECT_EQ(flow.step.faces[0].get({1, 8, 0}), 0);
    }
  }
}

/// In steady flow bodies hold what acts on the fluid, on all of it.
TEST(FlowChannel, ForceOnABody_IsWhatDrivesTheFlow) {
  Model model;
  model.viscosity = 1;
  const std::array<double, 3> force{0.2, 0.1, -0.3};
  model.acceleration = {force[0], force[1], force[2]};
  model.solids.bodies = {
      SolidBody{.center = {0.55, 0.5, 0.5}, .radius = 0.3},
      SolidBody{.shape = SolidBody::Shape::box, .lower = {0, 0, 0}, .upper = {1, 0.1, 1}}};
  constexpr Index n = 10;
  SmallFlow<3, double> flow(model, unit_box<3>(n));
  flow.run_until(2);
  flow.sum_up();
  double fluid_cells = 0, power = 0;
  for (const auto type : flow.step.type->copy_out()) fluid_cells += type == staggered::cell::fluid;
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(flow.step.push[a].value() / (fluid_cells * force[a]), 1, 1e-5) << a;
    power += force[a] * flow.step.velocity_sums[a].value();
  }
  EXPECT_NEAR(model.viscosity * flow.step.shear.value() / power, 1, 1e-5);
}

/// At rest it is the weight of the fluid that a body displaces, beside that at the reference.
TEST(FlowChannel, ForceOnABodyInAStratifiedLayer_IsTheWeightOfTheFluidItDisplaces) {
  Model model = plane_model(1);
  model.edges = {walls, walls, open};
  model.gravity = {0, -10, 0};
  Scalar salt{.name = "salt", .diffusivity = 0, .expansion = -0.1, .reference = 0.2};
  salt.boundary = BoundarySet(mirror, mirror, periodic);
  model.scalars = {salt};
  model.solids.bodies = {
      SolidBody{.shape = SolidBody::Shape::box, .lower = {0.25, 0.25, 0}, .upper = {0.5, 0.75, 1}}};
  constexpr Index n = 16;
  SmallFlow<2, double> flow(model, unit_box<2>(n));
  flow.step.scalars[0].fill([](Position at) { return 1 - at.y; });
  flow.run(4);
  flow.sum_up();
  // 4 x 8 cells, in the mean 0.3 above the reference.
  EXPECT_NEAR(flow.step.push[1].value(), 32 * 10 * 0.1 * 0.3, 1e-6);
  EXPECT_NEAR(flow.step.push[0].value(), 0, 1e-6);
}

Model pipe(double inflow) {
  Model model = plane_model(0.05);
  model.edges = {Ends{Edge::inflow, Edge::outflow}, walls, open};
  model.inflow_velocity = {inflow, 0.0, 0.0};
  model.parabolic_inflow = true;
  model.speed = 1;
  model.initial = {{.field = "velocity_x", .profile = {}, .is_inflow = true}};
  return model;
}
const GridOptions pipe_grid{.cells = {24, 8, 1}, .spacing = 0.125};

TEST(FlowChannel, AParabolaThatEnters_LeavesAsOne) {
  SmallFlow<2, double> flow(pipe(1), pipe_grid);
  flow.run_until(6);
  flow.sum_up();
  EXPECT_LT(flow.step.divergence.value() * flow.step.dt.value(), 1e-6);
  for (Index j = 0; j < 8; ++j) {
    const double in = flow.step.faces[0].get({0, j, 0});
    EXPECT_NEAR(flow.step.faces[0].get({24, j, 0}), in, 0.012);
  }
}

TEST(FlowChannel, WhatEntersLeaves_BesideABody) {
  Model model = pipe(1);
  model.solids.bodies = {
      SolidBody{.shape = SolidBody::Shape::box, .lower = {1, 0.5, 0}, .upper = {1.5, 0.75, 1}},
      SolidBody{.shape = SolidBody::Shape::box, .lower = {2.5, 0.75, 0}, .upper = {3, 1, 1}}};
  SmallFlow<2, double> flow(model, pipe_grid);
  flow.run(40);
  double in = 0, out = 0;
  for (Index j = 0; j < 8; ++j) {
    in += flow.step.faces[0].get({0, j, 0});
    out += flow.step.faces[0].get({24, j, 0});
  }
  EXPECT_NEAR(out / in, 1, 1e-12);
  EXPECT_EQ(flow.step.faces[0].get({24, 7, 0}), 0);
  flow.sum_up();
  EXPECT_GT(flow.step.push[0].value(), 0);
}

TEST(FlowChannel, FlowsThatDoNotBalance_AreRefused) {
  Model closed = pipe(1);
  closed.edges[0] = {Edge::inflow, Edge::wall};
  EXPECT_THAT(test::error_of([&] { SmallFlow<2, double>(closed, pipe_grid); }),
              HasSubstr("what flows in has no way out"));
  EXPECT_THAT(test::error_of([&] { SmallFlow<2, double>(pipe(-1), pipe_grid); }),
              HasSubstr("an outflow side is refused"));
}

TEST(FlowChannel, APressureThatIsNotFound_EndsTheRunWithALine) {
  Model model = pipe(1);
  model.pressure.limit = 1;
  model.pressure.tolerance = 1e-14;
  model.solids.bodies = {SolidBody{.center = {1, 0.5, 0}, .radius = 0.2}};
  const std::string error = test::error_of([&] { SmallFlow<2, double>(model, pipe_grid); });
  EXPECT_THAT(error, HasSubstr("did not converge (after 1 steps"));
  EXPECT_THAT(error, HasSubstr("not below 1e-14"));
}

/// Two that are as heavy as one of twice the weight.
TEST(FlowChannel, SeveralScalars_LiftTogether) {
  const auto speed = [](int scalars) {
    Model model = plane_model(0.1);
    model.edges = {walls, walls, open};
    model.gravity = {0, -1, 0};
    for (int n = 0; n < scalars; ++n) {
      Scalar scalar{
          .name = "s" + std::to_string(n), .diffusivity = 0.1, .expansion = 2.0 / scalars};
      scalar.boundary = BoundarySet(mirror, mirror, periodic);
      model.scalars.push_back(scalar);
      model.initial.push_back(mode(scalar.name, 1, {0.5, 0.5, 0}, {true, true, false}, {1, 1, 1}));
    }
    SmallFlow<2, double> flow(model, unit_box<2>(8));
    flow.run(10);
    return flow.step.faces[1].maximum();
  };
  EXPECT_GT(speed(1), 1e-3);
  EXPECT_NEAR(speed(2) / speed(1), 1, 1e-9);
}

}  // namespace
}  // namespace goban::flow::flow_channel_test
