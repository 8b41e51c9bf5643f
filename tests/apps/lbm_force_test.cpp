// The force on obstacles where it alternates from step to step.

#include "tests/apps/lbm_run.hpp"

namespace goban::lbm::lbm_force_test {
namespace {

/// A stream of 0.05 cells per step that a square body stops suddenly, tau near 1/2.
class SuddenStart : public ::testing::TestWithParam<Model::Collision> {
 protected:
  static Model model() {
    Model model = plane_model(GetParam(), 0.505);
    model.edges[1] = {Edge::wall, Edge::wall};
    model.start_velocity = {0.05, 0, 0};
    model.force = {1e-5, 0, 0};
    model.solids.bodies = {
        SolidBody{.shape = SolidBody::Shape::box, .lower = {8, 9, 0}, .upper = {14, 15, 1}}};
    return model;
  }
  SmallFlow<D2Q9, double> flow{model(), {.cells = {40, 24, 1}}};

  double reported(std::size_t axis) {
    flow.sum_up();
    return flow.step.force[axis].value();
  }
  /// -c_q (f_q' + f_q) over all links to the body, f_q = f_q', of this step alone.
  double of_this_step(std::size_t axis) const {
    double sum = 0;
    for (Index j = 0; j < 24; ++j) {
      for (Index i = 0; i < 40; ++i) {
        if (flow.step.type.get({i, j, 0}) != cell::fluid) continue;
        for (int q = 1; q < D2Q9::size; ++q) {
          const Velocity c = D2Q9::velocity(q);
          const Index3 from = {(i - c[0] + 40) % 40, j - c[1], 0};
          if (from[1] < 0 || from[1] >= 24) continue;
          if (flow.step.type.get(from) != cell::obstacle) continue;
          sum -= 2 * c[axis] * flow.step.f.get({i, j, 0}, opposite(q));
        }
      }
    }
    return sum;
  }
};

TEST_P(SuddenStart, ReportedForce_IsTheMeanOfThisStepAndTheNext) {
  flow.run(200);
  const double drag = reported(0), lift = reported(1);
  const double here[] = {of_this_step(0), of_this_step(1)};
  flow.run(1);
  EXPECT_NEAR(drag, (here[0] + of_this_step(0)) / 2, 1e-15);
  EXPECT_NEAR(lift, (here[1] + of_this_step(1)) / 2, 1e-15);
}

TEST_P(SuddenStart, ReportedForce_DoesNotAlternate) {
  // Second differences pick what changes sign with every step.
  flow.run(200);
  double single[3], mean[3];
  for (int n = 0; n < 3; ++n) {
    single[n] = of_this_step(0);
    mean[n] = reported(0);
    flow.run(1);
  }
  const double alternating = std::abs(single[0] - 2 * single[1] + single[2]);
  EXPECT_LE(std::abs(mean[0] - 2 * mean[1] + mean[2]), 0.01 * alternating);
  EXPECT_GE(alternating, std::abs(mean[0])) << "this flow shows nothing";
}

INSTANTIATE_TEST_SUITE_P(Lbm, SuddenStart,
                         ::testing::Values(Model::Collision::bgk, Model::Collision::trt,
                                           Model::Collision::smagorinsky));

}  // namespace
}  // namespace goban::lbm::lbm_force_test
