// Solute: what crystals reject, how it piles up, what the temperature does with it.

#include "dendrite/tip.hpp"
#include "tests/apps/dendrite_run.hpp"

namespace goban::dendrite::dendrite_alloy_test {
namespace {

constexpr double h = 1e-8;  // m

/// Grows by diffusion: with more undercooling it would trap the solute.
Model one_seed(Index3 at = {}) {
  Model model = alloy_model(h, 3);
  model.alloy.undercooling = 20;
  Nucleus seed{.radius = 8 * h};
  for (std::size_t a = 0; a < 3; ++a) seed.center[a] = (static_cast<double>(at[a]) + 0.5) * h;
  model.nuclei = {seed};
  return model;
}

template <class T>
double relative_change_of_solute(Index3 cells, const Model& model, Index steps) {
  SmallGrowth<T> growth(model, cells, h);
  growth.sum_up();
  const double before = growth.step.content.value();
  const double solid_before = growth.step.solid.value();
  growth.run(steps);
  growth.sum_up();
  EXPECT_GT(growth.step.solid.value(), 1.5 * solid_before);
  return std::abs(growth.step.content.value() / before - 1);
}

TEST(DendriteAlloy, SoluteIsConserved) {
  const Model model = one_seed();
  EXPECT_LE(relative_change_of_solute<float>({70, 60, 1}, model, 3000), 1e-6);
  EXPECT_LE(relative_change_of_solute<double>({70, 60, 1}, model, 3000), 1e-12);
  EXPECT_LE(relative_change_of_solute<float>({30, 26, 28}, model, 800), 1e-6);
  EXPECT_LE(relative_change_of_solute<double>({30, 26, 28}, model, 800), 1e-12);
}

TEST(DendriteAlloy, FarFromAnySolid_NothingHappens) {
  SmallGrowth<float> growth(one_seed(), {160, 160, 1}, h);
  growth.run(100);
  EXPECT_EQ(growth.step.other.get({159, 159, 0}), 0);
  EXPECT_GT(growth.step.other.maximum(), 0);
}

/// A crystal around the middle of a cell keeps the symmetry of the cube.
TEST(DendriteAlloy, SingleCrystal_KeepsTheSymmetryOfTheGrid) {
  const auto expect_symmetry = [&](Index3 n, double anisotropy, Index steps) {
    const Index c = n[0] / 2;
    const bool in_space = n[2] > 1;
    Model model = one_seed({c, c, in_space ? c : 0});
    model.alloy.anisotropy = anisotropy;
    SmallGrowth<float> growth(model, n, h);
    growth.run(steps);
    const std::vector<float> phase = growth.step.phase.copy_out();
    const auto at = [&](Index i, Index j, Index k) {
      return phase[static_cast<std::size_t>(i + n[0] * (j + n[1] * k))];
    };
    for (Index k = 0; k < n[2]; ++k) {
      for (Index j = 0; j < n[1]; ++j) {
        for (Index i = 0; i < n[0]; ++i) {
          const float here = at(i, j, k);
          ASSERT_EQ(at(n[0] - 1 - i, j, k), here);
          ASSERT_NEAR(at(j, i, k), here, in_space ? 1e-5 : 0);
          ASSERT_NEAR(at(in_space ? k : i, j, in_space ? i : k), here, 1e-5);
        }
      }
    }
    // It is no ball any more: along the axes it reaches farther than along the diagonals.
    const Index k = in_space ? c : 0;
    Index tip = c;
    while (at(tip + 1, c, k) > 0.5f) ++tip;
    const auto diagonal = static_cast<Index>(std::lround(static_cast<double>(tip - c) * 0.7071));
    EXPECT_GT(tip, c + 8);
    EXPECT_LT(at(c + diagonal, c + diagonal, k), in_space ? 0.5f : 0.3f);
  };
  expect_symmetry({121, 121, 1}, 0.03, 4000);
  expect_symmetry({47, 47, 47}, 0.06, 1500);
}

/// Steady front of an alloy pulled at V: c_L = c_0 [1 + (1 - k) / k exp(-V z / D_L)] before it.
TEST(DendriteAlloy, PlanarFront_PilesUpSoluteAsInTheTheoryAndKeepsUpWithTheIsotherms) {
  Model model = alloy_model(h, 1);
  Alloy& alloy = model.alloy;
  alloy.partition = 0.6;
  const double speed = 0.005;  // D_L / V = 110 cells
  alloy.gradient = 2e7;        // steep enough to hold the front straight
  alloy.cooling_rate = alloy.gradient * speed;
  const double start = 40.3 * h, pile = alloy.composition * (1 / alloy.partition - 1);
  model.nuclei = {layer(start)};
  alloy.undercooling = alloy.liquidus_slope * pile + alloy.gradient * start;
  SmallGrowth<double> growth(model, {1, 400, 1}, h, one_thread(), 60.5 * h);
  const auto exact = [&](double z) {
    return pile * std::exp(-speed * std::max(0.0, z) / alloy.liquid_diffusivity);
  };
  growth.step.other.fill([&](Position position) { return exact(position.y - start); });
  const auto steps_per_cell = static_cast<Index>(h / speed / growth.dt);
  for (int cell = 0; cell < 110; ++cell) {
    growth.run(steps_per_cell);
    growth.look();
  }
  EXPECT_GT(growth.step.shifted.value(), 80);
  EXPECT_NEAR(growth.follower.speed.value() / speed, 1, 0.02);
  growth.look();
  const std::vector<double> u = growth.step.other.copy_out();
  for (std::size_t i = 70; i < 250; i += 10) {
    const double z = (static_cast<double>(i) + 0.5) * h - growth.step.tip.value();
    EXPECT_NEAR(u[i], exact(z), 0.03 * alloy.composition) << i;
  }
  StepClock clock;
  Engine(growth.step.observation()).run(1, clock);
  const TipLine line = tip_line(growth.step);
  EXPECT_NEAR(line.solid / alloy.composition, 1, 0.02);
  EXPECT_NEAR(line.partition() / alloy.partition, 1, 0.1);
}

TEST(DendriteAlloy, MovingFrame_TakesCellsAlongAndLetsFreshMeltIn) {
  Model model = alloy_model(h, 3);
  model.nuclei = {layer(6.2 * h)};
  SmallGrowth<float> growth(model, {3, 20, 1}, h, one_thread(), 4.5 * h);
  growth.step.other.fill([](Index3 i) { return static_cast<double>(i[1] + 1); });
  const std::vector<float> before = growth.step.phase.copy_out();
  growth.look();
  ASSERT_EQ(growth.step.shifted.value(), 2);
  const std::vector<float> phase = growth.step.phase.copy_out();
  const std::vector<float> other = growth.step.other.copy_out();
  for (std::size_t i = 0; i < phase.size(); ++i) {
    const bool is_new = i >= phase.size() - 6;
    EXPECT_EQ(phase[i], is_new ? 0 : before[i + 6]) << i;
    EXPECT_EQ(other[i], is_new ? 0 : static_cast<float>(i / 3 + 3)) << i;
  }
  growth.look();
  EXPECT_EQ(growth.step.shifted.value(), 2);
}

TEST(DendriteAlloy, Noise_IsSmallAndLeavesFlatPhasesAlone) {
  Model model = one_seed();
  model.nuclei[0].radius = 20 * h;
  SmallGrowth<float> quiet(model, {64, 64, 1}, h);
  model.alloy.noise = 20;
  SmallGrowth<float> noisy(model, {64, 64, 1}, h);
  quiet.run(100);
  noisy.run(100);
  const std::vector<float> a = quiet.step.phase.copy_out(), b = noisy.step.phase.copy_out();
  double most = 0, mean = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = b[i] - a[i];
    most = std::max(most, std::abs(difference));
    mean += difference / static_cast<double>(a.size());
  }
  EXPECT_GT(most, 1e-4);
  EXPECT_LT(most, 0.2);
  EXPECT_LT(std::abs(mean), 1e-3);
  EXPECT_NEAR(b.back(), a.back(), 1e-12);
  EXPECT_EQ(b.front(), a.front());
}

TEST(DendriteAlloy, UndercoolingThatGrowsWithTime_IsACoolingRate) {
  Model cooled = one_seed(), told = one_seed();
  cooled.alloy.cooling_rate = 2e7;
  told.alloy.undercooling = *parse_time_value("20 K + 2e7*t", "K").value;
  const auto phases = [](const Model& model) {
    SmallGrowth<double> growth(model, {40, 36, 1}, h);
    growth.run(200);
    return growth.step.phase.copy_out();
  };
  const auto first = phases(cooled), second = phases(told);
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_NEAR(first[i], second[i], 1e-12);
  EXPECT_NE(first, phases(one_seed()));
}

}  // namespace
}  // namespace goban::dendrite::dendrite_alloy_test
