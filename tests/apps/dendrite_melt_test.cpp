// Dendrites of a pure melt: heat, free energy, speed.

#include "tests/apps/dendrite_run.hpp"

namespace goban::dendrite::dendrite_melt_test {
namespace {

template <class T>
void expect_balance(Index3 cells, Index steps, double tolerance) {
  Model model = melt_model(0.4, 4);
  model.nuclei = {{.radius = 6}};
  SmallGrowth<T> growth(model, cells, 0.8);
  growth.sum_up();
  const double content = growth.step.content.value();
  double energy = growth.step.energy.value();
  const double solid = growth.step.solid.value();
  for (int n = 0; n < 10; ++n) {
    growth.run(steps / 10);
    growth.sum_up();
    EXPECT_LT(growth.step.energy.value(), energy) << n;
    energy = growth.step.energy.value();
  }
  EXPECT_GT(growth.step.solid.value(), 1.5 * solid);
  EXPECT_NEAR(growth.step.content.value() / content, 1, tolerance);
}

TEST(DendriteMelt, HeatIsConservedAndFreeEnergyFalls) {
  expect_balance<float>({48, 44, 1}, 400, 1e-5);
  expect_balance<double>({48, 44, 1}, 400, 1e-12);
  expect_balance<double>({26, 24, 25}, 200, 1e-12);
}

/// Karma, Rappel, Phys. Rev. E 57 (1998) 4323, by Green's functions: V d_0 / D = 0.0469 at Delta =
/// 0.65, epsilon = 0.05.
TEST(DendriteMelt, TipOfAQuarter_HasThePublishedSpeed) {
  Model model = melt_model(0.65, 1);
  model.nuclei = {{.radius = 4}};
  SmallGrowth<float> growth(model, {180, 180, 1}, 0.8);
  while (growth.time() < 1000) {
    growth.run(100);
    growth.look();
  }
  EXPECT_NEAR(growth.follower.speed.value() * model.thermal.capillary_length(), 0.0469,
              0.05 * 0.0469);
}

}  // namespace
}  // namespace goban::dendrite::dendrite_melt_test
