// Flows between plane walls, known exactly.

#include "tests/apps/lbm_run.hpp"

namespace goban::lbm {
namespace {

constexpr Index width = 16;

/// Relative L2 distance from the parabola of a flow driven along x, walls across y.
template <class Lattice>
double poiseuille_error(Model model, Index steps) {
  model.edges[1] = {Edge::wall, Edge::wall};
  model.force = {1e-5, 0, 0};
  SmallFlow<Lattice, double> flow(model, {.cells = {4, width, 1}});
  flow.run(steps);
  flow.observe();
  double error = 0, norm = 0;
  for (Index j = 0; j < width; ++j) {
    const double y = static_cast<double>(j) + 0.5;
    const double expected = model.force[0] / (2 * model.viscosity()) * y * (width - y);
    const double found = flow.step.velocity.get({1, j, 0});
    error += (found - expected) * (found - expected);
    norm += expected * expected;
  }
  return std::sqrt(error / norm);
}

const double exact_tau = 0.5 + std::sqrt(3.0 / 16);

TEST(LbmChannel, PoiseuilleIsExact_WhereTheWallsLieHalfWay) {
  EXPECT_LE(poiseuille_error<D2Q9>(plane_model(Model::Collision::bgk, exact_tau), 8000), 1e-10);
  Model model = plane_model(Model::Collision::bgk, exact_tau);
  model.lattice = Model::Lattice::d3q19;
  EXPECT_LE(poiseuille_error<D3Q19>(model, 8000), 1e-10);
}

TEST(LbmChannel, PoiseuilleWithTrt_IsExactAtAnyViscosity) {
  for (const double tau : {0.7, 1.0, 1.6}) {
    EXPECT_LE(poiseuille_error<D2Q9>(plane_model(Model::Collision::trt, tau), 15000), 1e-10) << tau;
  }
}

TEST(LbmChannel, PoiseuilleWithBgk_SlipsElsewhere) {
  // Slip of He, Zou, Luo, Dembo (1997): (4 (2 tau - 1)^2 - 3) / 3 in units of G / (8 nu) over all
  // y.
  const double tau = 0.7;
  const double slip = (16 * (tau - 0.5) * (tau - 0.5) - 3) / 3;
  double square = 0, norm = 0;
  for (Index j = 0; j < width; ++j) {
    const double y = static_cast<double>(j) + 0.5;
    square += slip * slip / 16;
    norm += y * (width - y) * y * (width - y);
  }
  EXPECT_NEAR(poiseuille_error<D2Q9>(plane_model(Model::Collision::bgk, tau), 15000),
              std::sqrt(square / norm), 1e-6);
}

TEST(LbmChannel, CouetteIsExact) {
  for (const auto collision : {Model::Collision::bgk, Model::Collision::trt}) {
    Model model = plane_model(collision, 0.8);
    model.edges[1] = {Edge::wall, Edge::moving};
    model.wall_velocity = {0.05, 0, 0};
    SmallFlow<D2Q9, double> flow(model, {.cells = {4, width + 1, 1}});
    flow.run(15000);
    flow.observe();
    for (Index j = 0; j < width; ++j) {
      ASSERT_NEAR(flow.step.velocity.get({2, j, 0}), 0.05 * (static_cast<double>(j) + 0.5) / width,
                  1e-12);
    }
    EXPECT_NEAR(flow.step.velocity.get({2, width, 0}), 0.05, 1e-16)
        << "the wall shows its own velocity";
  }
}

TEST(LbmChannel, SmagorinskyWithoutItsConstant_IsBgk) {
  Model model = plane_model(Model::Collision::smagorinsky, exact_tau);
  model.smagorinsky = 0;
  EXPECT_LE(poiseuille_error<D2Q9>(model, 8000), 1e-10);
}

TEST(LbmChannel, WallsFeelTheForceThatDrivesTheFlow) {
  // One wall of the channel is an obstacle: at rest it carries half of what drives the fluid.
  Model model = plane_model(Model::Collision::trt, 0.8);
  model.edges[1] = {Edge::wall, Edge::wall};
  model.force = {1e-5, 0, 0};
  model.bodies = {Body{.shape = Body::Shape::box, .upper = {4, 1, 1}}};
  SmallFlow<D2Q9, double> flow(model, {.cells = {4, width + 1, 1}});
  flow.run(15000);
  flow.sum_up();
  EXPECT_NEAR(flow.step.force[0].value(), model.force[0] * 4 * width / 2, 1e-14);
  EXPECT_NEAR(flow.step.force[1].value(), 0, 1e-12);
}

}  // namespace
}  // namespace goban::lbm
