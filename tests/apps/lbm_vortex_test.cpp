// Decay of Taylor-Green vortices, and what a closed box conserves.

#include <numbers>

#include "tests/apps/lbm_run.hpp"

namespace goban::lbm::lbm_vortex_test {
namespace {

/// Viscosity found from the decay of kinetic energy, exp(-4 nu k^2 t), over that asked for, less 1.
/// The speed shrinks with the cells, so that errors of compressibility do, too.
double viscosity_error(Model::Collision collision, Index n) {
  Model model = plane_model(collision, 0.8);
  model.smagorinsky = 0;
  model.start = Model::Start::taylor_green;
  model.start_velocity = {0.64 / static_cast<double>(n), 0, 0};
  const double k = 2 * std::numbers::pi / static_cast<double>(n);
  const auto steps = static_cast<Index>(0.125 / (model.viscosity() * k * k));
  SmallFlow<D2Q9, double> flow(model, {.cells = {n, n, 1}});
  flow.run(steps);
  flow.sum_up();
  const double before = flow.step.kinetic_energy.value();
  flow.run(2 * steps);
  flow.sum_up();
  const double after = flow.step.kinetic_energy.value();
  const double time = 2 * static_cast<double>(steps);
  return std::log(before / after) / (4 * k * k * time) / model.viscosity() - 1;
}

TEST(LbmVortex, ViscosityFromDecay_IsTheOneAskedFor) {
  for (const auto collision :
       {Model::Collision::bgk, Model::Collision::trt, Model::Collision::smagorinsky}) {
    EXPECT_LE(std::abs(viscosity_error(collision, 64)), 1e-3);
  }
}

TEST(LbmVortex, ObservedOrder_IsTwo) {
  const double coarse = viscosity_error(Model::Collision::bgk, 32);
  const double fine = viscosity_error(Model::Collision::bgk, 64);
  EXPECT_NEAR(std::log2(std::abs(coarse / fine)), 2, 0.1);
}

TEST(LbmVortex, Smagorinsky_AddsViscosity) {
  Model model = plane_model(Model::Collision::smagorinsky, 0.51);
  model.start = Model::Start::taylor_green;
  model.start_velocity = {0.05, 0, 0};
  double before = 1;
  for (const double constant : {0.0, 0.1, 0.2}) {
    model.smagorinsky = constant;
    SmallFlow<D2Q9, double> flow(model, {.cells = {32, 32, 1}});
    flow.run(300);
    flow.sum_up();
    EXPECT_LT(flow.step.kinetic_energy.value(), before);
    before = flow.step.kinetic_energy.value();
  }
}

/// A flow in a closed box around a sphere, under a lid.
Model closed_box() {
  Model model;
  model.tau = 0.6;
  model.edges = {{{Edge::wall, Edge::wall}, {Edge::wall, Edge::wall}, {Edge::wall, Edge::moving}}};
  model.wall_velocity = {0.05, 0.02, 0};
  model.solids.bodies = {SolidBody{.center = {7, 6, 5}, .radius = 2.5}};
  return model;
}

TEST(LbmVortex, MassInAClosedBox_IsConservedToRoundOff) {
  SmallFlow<D3Q19, double> flow(closed_box(), {.cells = {14, 12, 11}});
  flow.run(500);
  flow.sum_up();
  EXPECT_LE(std::abs(flow.step.mass.value()), 14 * 12 * 10 * 500 * 1e-17);
  EXPECT_GT(flow.step.kinetic_energy.value(), 0.01);
}

TEST(LbmVortex, FluidAtRest_StaysAtRestToTheLastBit) {
  Model model = closed_box();
  model.wall_velocity = {};
  for (const auto collision :
       {Model::Collision::bgk, Model::Collision::trt, Model::Collision::smagorinsky}) {
    model.collision = collision;
    SmallFlow<D3Q19, float> flow(model, {.cells = {14, 12, 11}});
    flow.run(20);
    for (const float f : flow.step.f.copy_out()) ASSERT_EQ(f, 0.0f);
  }
}

TEST(LbmVortex, HalfStorage_StaysNearDouble) {
  Model model = closed_box();
  SmallFlow<D3Q19, half> small(model, {.cells = {14, 12, 11}});
  SmallFlow<D3Q19, double> large(model, {.cells = {14, 12, 11}});
  small.run(200);
  large.run(200);
  small.observe();
  large.observe();
  const auto found = small.step.velocity.copy_out();
  const auto expected = large.step.velocity.copy_out();
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 5e-4);
}

}  // namespace
}  // namespace goban::lbm::lbm_vortex_test
