// Fluids that thin, between plane walls: closed forms and quadrature; the shear of walls.

#include "goban/io/case/time_value.hpp"
#include "tests/apps/lbm_run.hpp"

namespace goban::lbm::lbm_rheology_test {
namespace {

constexpr Index width = 24;
constexpr double force = 2e-5;

/// The integral from a distance to the middle to the wall of the rate of shear, for which nu(rate)
/// rate = force times the distance.
double exact_velocity(const Rheology& rheology, double from) {
  constexpr int pieces = 1000;
  double sum = 0;
  for (int n = 0; n < pieces; ++n) {
    const double y = from + (width / 2.0 - from) * (n + 0.5) / pieces;
    double low = 0, high = 1;
    for (int k = 0; k < 60; ++k) {
      const double rate = (low + high) / 2;
      (rheology.at(rate, 0) * rate < force * y ? low : high) = rate;
    }
    sum += low;
  }
  return sum * (width / 2.0 - from) / pieces;
}

struct Profile {
  double error;      ///< of the velocity, L2, relative
  double shear;      ///< of the wall over the exact one
  double viscosity;  ///< in the cell at the wall over that of its exact rate of shear
};

Profile profile_of(const Rheology& rheology, Index steps) {
  Model model = plane_model(Model::Collision::trt, 0.8);
  model.rheology = rheology;
  model.edges[1] = {Edge::wall, Edge::wall};
  model.force = {force, 0, 0};
  SmallFlow<D2Q9, double> flow(model, {.cells = {4, width, 1}});
  flow.run(steps);
  flow.observe();
  flow.look_at_shear();
  double error = 0, norm = 0;
  for (Index j = 0; j < width; ++j) {
    const double expected =
        exact_velocity(rheology, std::abs(static_cast<double>(j) + 0.5 - width / 2.0));
    const double found = flow.step.velocity.get({1, j, 0});
    error += (found - expected) * (found - expected);
    norm += expected * expected;
  }
  const double stress = force * (width / 2.0 - 0.5), nu = flow.step.viscosity.get({1, 0, 0});
  return {std::sqrt(error / norm),
          flow.step.wall_shear_stress.get({1, 0, 0}) / (force * width / 2.0),
          nu / rheology.at(stress / nu, 0)};
}

TEST(LbmRheology, CarreauYasudaBetweenPlates) {
  const Profile found = profile_of({.kind = Rheology::Kind::carreau_yasuda,
                                    .zero = 0.3,
                                    .infinite = 0.02,
                                    .time = 3000,
                                    .power = 2,
                                    .exponent = 0.4},
                                   8000);
  EXPECT_LT(found.error, 0.01);
  EXPECT_NEAR(found.shear, 1, 1e-5);
  EXPECT_NEAR(found.viscosity, 1, 1e-5);
}

TEST(LbmRheology, CassonBetweenPlates_HasAPlug) {
  const Rheology casson = {
      .kind = Rheology::Kind::casson, .viscosity = 0.03, .yield = 6e-5, .largest = 3};
  const Profile found = profile_of(casson, 10000);
  EXPECT_LT(found.error, 0.01);
  EXPECT_NEAR(found.shear, 1, 1e-5);
  EXPECT_NEAR(found.viscosity, 1, 1e-5);
  // (sqrt(force y) - sqrt(yield))^2 / viscosity, integrated from the plug to the wall.
  const auto integral = [&](double y) {
    const double s = force * y, t = casson.yield;
    return (s * s / 2 - 4.0 / 3 * std::sqrt(t) * std::pow(s, 1.5) + t * s) /
           (casson.viscosity * force);
  };
  const double plug = integral(width / 2.0) - integral(casson.yield / force);
  EXPECT_NEAR(exact_velocity(casson, 0) / plug, 1, 0.01);
}

TEST(LbmRheology, OfANewtonianFluid_ViscosityIsThatAskedFor) {
  for (const Model::Collision collision : {Model::Collision::bgk, Model::Collision::trt}) {
    Model model = plane_model(collision, 0.9);
    model.edges[1] = {Edge::wall, Edge::wall};
    model.force = {1e-5, 0, 0};
    SmallFlow<D2Q9, double> flow(model, {.cells = {4, 12, 1}});
    flow.run(4000);
    flow.look_at_shear();
    EXPECT_NEAR(flow.step.viscosity.get({2, 3, 0}), model.viscosity(), 1e-12);
    EXPECT_NEAR(flow.step.wall_shear_stress.get({2, 11, 0}), 6e-5, 1e-10);
    EXPECT_NEAR(flow.step.stress.get({2, 3, 0}, 3), 1e-5 * (6 - 3.5), 1e-11);
    EXPECT_EQ(flow.step.wall_shear_stress.get({2, 5, 0}), 0);
  }
}

}  // namespace
}  // namespace goban::lbm::lbm_rheology_test
