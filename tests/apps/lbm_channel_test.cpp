// Flows between plane walls, known exactly.

#include <vector>

#include "goban/io/case/time_value.hpp"
#include "tests/apps/lbm_run.hpp"

namespace goban::lbm::lbm_channel_test {
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
  model.solids.bodies = {SolidBody{.shape = SolidBody::Shape::box, .upper = {4, 1, 1}}};
  SmallFlow<D2Q9, double> flow(model, {.cells = {4, width + 1, 1}});
  flow.run(15000);
  flow.sum_up();
  EXPECT_NEAR(flow.step.force[0].value(), model.force[0] * 4 * width / 2, 1e-14);
  EXPECT_NEAR(flow.step.force[1].value(), 0, 1e-12);
}

TEST(LbmChannel, MeanVelocityAndFlowRate_AreThoseOfTheParabola) {
  // tau = 0.9330 with BGK is exact; the mean of F y (width - y) / (2 nu) over cell centres.
  Model model = plane_model(Model::Collision::bgk, exact_tau);
  model.edges[1] = {Edge::wall, Edge::wall};
  model.force = {1e-5, 0, 0};
  model.planes = {{"cut", Axis::x, 2}};
  SmallFlow<D2Q9, double> flow(model, {.cells = {4, width, 1}});
  flow.run(8000);
  flow.sum_up();
  double flow_rate = 0;
  for (Index j = 0; j < width; ++j) {
    const double y = static_cast<double>(j) + 0.5;
    flow_rate += model.force[0] / (2 * model.viscosity()) * y * (width - y);
  }
  EXPECT_NEAR(flow.step.flow_rates[0].value() / flow_rate, 1, 1e-10);
  EXPECT_NEAR(flow.step.velocity_sum[0].value() / (4 * flow_rate), 1, 1e-10);
  EXPECT_NEAR(flow.step.velocity_sum[1].value(), 0, 1e-12);
}

/// A channel between two sides that hold pressures; `excess` is that of density at the lower one.
Model channel_between_pressures(const TimeValue& excess) {
  Model model = plane_model(Model::Collision::trt, 0.8);
  model.edges[0] = {Edge::pressure, Edge::pressure};
  model.edges[1] = {Edge::wall, Edge::wall};
  model.excess[0] = {excess, 0};
  return model;
}

TEST(LbmChannel, PressureDifferenceDrivesPoiseuille) {
  constexpr Index length = 34;
  constexpr double excess = 3e-4;
  const Model model = channel_between_pressures(excess);
  SmallFlow<D2Q9, double> flow(model, {.cells = {length, width, 1}});
  flow.run(6000);
  flow.observe();
  const double gradient = excess / 3 / (length - 1);  // held in the middle of the outermost cells
  const double largest = gradient * width * width / (8 * model.viscosity());
  for (Index j = 0; j < width; ++j) {
    const double y = static_cast<double>(j) + 0.5;
    const double parabola = gradient / (2 * model.viscosity()) * y * (width - y);
    for (const Index i : {Index{0}, length / 2, length - 1}) {
      EXPECT_NEAR(flow.step.velocity.get({i, j, 0}), parabola, 0.002 * largest) << i << ' ' << j;
    }
    EXPECT_NEAR(flow.step.density.get({0, j, 0}) - 1, excess, 1e-4 * excess);
    EXPECT_NEAR(flow.step.density.get({length - 1, j, 0}) - 1, 0, 1e-4 * excess);
  }
}

TEST(LbmChannel, PressureThatVaries_IsThatOfItsTime) {
  const auto speed_after = [](const TimeValue& excess) {
    SmallFlow<D2Q9, double> flow(channel_between_pressures(excess), {.cells = {12, 8, 1}});
    flow.run(300);
    flow.observe();
    return flow.step.velocity.get({5, 4, 0});
  };
  const auto varying = [](const char* text) { return *parse_time_value(text, "1").value; };
  const double fixed = speed_after(3e-4);
  EXPECT_GT(fixed, 1e-4);
  EXPECT_EQ(speed_after(varying("3e-4 + 0*t")), fixed);
  EXPECT_LT(speed_after(varying("3e-4 * cos(pi*t/300)")), -0.5 * fixed);
}

/// Velocities at the cells of a channel, seen after some steps.
template <class Prepare>
std::vector<double> profile_after(Index steps, const Prepare& prepare) {
  Model model = plane_model(Model::Collision::trt, 0.8);
  model.edges[1] = {Edge::wall, Edge::moving};
  prepare(model);
  SmallFlow<D2Q9, double> flow(model, {.cells = {4, width + 1, 1}});
  flow.run(steps);
  flow.observe();
  std::vector<double> profile;
  for (Index j = 0; j < width; ++j) profile.push_back(flow.step.velocity.get({2, j, 0}));
  return profile;
}

TEST(LbmChannel, WhatVaries_IsWhatItIsAtTheTimeOfTheStep) {
  // Values that are given as functions of time but stay.
  const auto fixed = profile_after(500, [](Model& model) {
    model.wall_velocity = {0.05, 0, 0};
    model.force = {1e-5, 0, 0};
  });
  const auto constant = [](const char* text) { return *parse_time_value(text, "1").value; };
  const auto varied = profile_after(500, [&](Model& model) {
    model.wall_velocity = {0.05, 0, 0};
    model.force = {1e-5, 0, 0};
    model.drive = Model::Drive{{constant("1e-5 + 0*t"), 0, 0}, {constant("0.05 + 0*t"), 0, 0}, {}};
  });
  for (std::size_t j = 0; j < fixed.size(); ++j) EXPECT_NEAR(varied[j], fixed[j], 1e-15) << j;
}

TEST(LbmChannel, WallThatSwings_MakesStokesLayer) {
  // u = U exp(-k y) cos(w t - k y), k = sqrt(w / (2 nu)), y from the wall (Stokes 1851); far from
  // the other wall: k times the width is 18.
  constexpr double period = 1200, amplitude = 0.02, w = 2 * 3.141592653589793 / period;
  Model model = plane_model(Model::Collision::trt, 0.6);
  model.edges[1] = {Edge::wall, Edge::moving};
  model.wall_velocity = {amplitude, 0, 0};
  model.drive =
      Model::Drive{{}, {*parse_time_value("0.02 * cos(2*pi*t/1200)", "1").value, 0, 0}, {}};
  constexpr Index cells = 64;
  SmallFlow<D2Q9, double> flow(model, {.cells = {4, cells + 1, 1}});
  flow.run(6 * 1200 + 300);
  flow.observe();
  const double k = std::sqrt(w / (2 * model.viscosity()));
  for (Index j = 0; j < cells; ++j) {
    const double y = static_cast<double>(cells - j) - 0.5, t = 7500;
    EXPECT_NEAR(flow.step.velocity.get({2, j, 0}),
                amplitude * std::exp(-k * y) * std::cos(w * t - k * y), 0.005 * amplitude)
        << j;
  }
}

}  // namespace
}  // namespace goban::lbm::lbm_channel_test
