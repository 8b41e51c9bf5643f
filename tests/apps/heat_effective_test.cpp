// Conductivity tensors: laminates in closed form, cast iron beside a published finite-element
// value.

#include "heat/effective.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/apps/heat_run.hpp"

namespace goban::heat::heat_effective_test {
namespace {

struct Outcome {
  EffectiveConductivity conductivity;
  std::uint64_t checksum = 0;
  Index iterations = 0;
};

Outcome homogenize(const Model& model, const GridOptions& options, double tolerance,
                   const Settings& settings = {}) {
  Runtime runtime(settings);
  Grid grid(runtime, options);
  SteadyState<3, ijk> state(grid, model);
  Engine engine(state.program());
  StepClock clock;
  while (state.residual.value() >= tolerance && clock.step < 2000) engine.run(10, clock);
  FlowBalance<ijk> balance(grid, state);
  StepClock end;
  Engine(balance.program()).run(1, end);
  return {balance.result(), state.u.checksum(), clock.step};
}

constexpr double two_phases(double a, double b) { return (a + b) / 2; }

TEST(HeatEffective, Laminate_IsHarmonicAcrossAndArithmeticAlong) {
  for (std::size_t across = 0; across < 3; ++across) {
    Model model;
    model.medium.conductivity = 1;
    Profile layer{.shape = Profile::Shape::box, .amplitude = 9, .upper = {1, 1, 1}};
    layer.upper[across] = 0.5;
    model.medium.inclusions = {layer};
    const auto [k, checksum, iterations] = homogenize(model, unit_cube({8, 12, 10}), 1e-12);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t c = 0; c < 3; ++c) {
        const double expected = a != c ? 0 : a == across ? 2 / (1 + 1 / 9.0) : two_phases(1, 9);
        EXPECT_NEAR(k.tensor[a][c], expected, 1e-11);
      }
    }
    EXPECT_NEAR(k.voigt, 5, 1e-14);
    EXPECT_NEAR(k.reuss, 1.8, 1e-14);
  }
}

TEST(HeatEffective, UniformMedium_NeedsNoIterationsToSpeakOf) {
  Model model;
  model.medium.conductivity = 7;
  const Outcome outcome = homogenize(model, unit_cube({6, 6, 6}), 1e-6);
  EXPECT_LE(outcome.iterations, 10);
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(outcome.conductivity.tensor[a][a], 7, 1e-13);
}

TEST(HeatEffective, CubicArrayOfSpheres_IsNearMaxwellAndIsotropic) {
  // Dilute spheres, 3.4 % by volume: Maxwell's formula is good to far less than a percent.
  Model model;
  model.medium.inclusions = {Profile{
      .shape = Profile::Shape::sphere, .amplitude = 10, .center = {0.5, 0.5, 0.5}, .radius = 0.2}};
  const GridOptions options = unit_cube({40, 40, 40});
  const auto k = homogenize(model, options, 1e-8).conductivity;
  const double fraction = (k.voigt - 1) / 9;
  const double maxwell = 1 + 3 * fraction / ((10 + 2.0) / (10 - 1) - fraction);
  EXPECT_NEAR(k.tensor[0][0] / maxwell, 1, 5e-3);
  EXPECT_NEAR(k.tensor[1][1], k.tensor[0][0], 1e-9);
  EXPECT_NEAR(k.tensor[2][2], k.tensor[0][0], 1e-9);
  EXPECT_LT(k.plane_deviation, 1e-6);
}

TEST(HeatEffective, ScaledCells_GiveTheTensorOfTheStretchedMedium) {
  // Stretching x by s and scaling k by s^2 along x is the same problem; here: spacing cancels for
  // a laminate, whatever the edges of its cells.
  Model model;
  Profile layer{.shape = Profile::Shape::box, .amplitude = 9, .upper = {2, 9, 99}};
  model.medium.inclusions = {layer};
  const GridOptions options{.cells = {8, 6, 4}, .spacing = {0.5, 0.1, 3}};
  const auto k = homogenize(model, options, 1e-12).conductivity;
  EXPECT_NEAR(k.tensor[0][0], 1.8, 1e-11);
  EXPECT_NEAR(k.tensor[1][1], 5, 1e-11);
  EXPECT_NEAR(k.tensor[2][2], 5, 1e-11);
}

/// The tomography of nodular cast iron, 100^3 voxels: 87 graphite, 182 ferrite.
class CastIron : public ::testing::Test {
 protected:
  static constexpr Index n = 100;
  static std::filesystem::path file() {
    return std::filesystem::path(GOBAN_SOURCE_DIR) / "../shared/data/ggg40_100.raw";
  }
  void SetUp() override {
    if (!std::filesystem::exists(file())) {
      GTEST_SKIP() << "needs the image ggg40_100.raw at " << file();
    }
    std::ifstream stream(file(), std::ios::binary);
    std::vector<char> voxels(n * n * n);
    stream.read(voxels.data(), n * n * n);
    Array cells(ElementType::float64, {n, n, n});
    std::ranges::transform(voxels, cells.as<double>().begin(), [](char voxel) {
      return static_cast<unsigned char>(voxel) == 87 ? 129 : 80.4;
    });
    model_.medium.image = image_in_memory(std::move(cells));
  }
  Outcome run(const Settings& settings = {}, double tolerance = 1e-4) {
    return homogenize(model_, {.cells = {n, n, n}}, tolerance, settings);
  }
  Model model_;
};

TEST_F(CastIron, TensorIsThatOfTheFiniteElementCode) {
  const auto k = run().conductivity;
  EXPECT_NEAR(k.tensor[0][0] / 85.249267, 1, 1e-3);
  // Its y axis may point the other way.
  EXPECT_NEAR(std::abs(k.tensor[1][0]), 0.043063, 5e-3);
  EXPECT_NEAR(std::abs(k.tensor[2][0]), 0.027003, 5e-3);
  EXPECT_NEAR(k.voigt, 85.938, 1e-3);
  EXPECT_NEAR(k.reuss, 84.006, 1e-3);
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_GT(k.tensor[a][a], k.reuss);
    EXPECT_LT(k.tensor[a][a], k.voigt);
  }
  EXPECT_LT(k.asymmetry(), 1e-4);
  EXPECT_LT(k.plane_deviation, 1e-4);
}

TEST_F(CastIron, TensorHasTheSameBitsOnEveryDecomposition) {
  std::vector<Outcome> outcomes;
  for (const Index3 patches : {Index3{1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 2, 1}}) {
    Settings settings;
    settings.patches = patches;
    outcomes.push_back(run(settings, 1e-2));
    EXPECT_EQ(outcomes.back().conductivity.tensor, outcomes.front().conductivity.tensor);
    EXPECT_EQ(outcomes.back().conductivity.plane_deviation,
              outcomes.front().conductivity.plane_deviation);
    EXPECT_EQ(outcomes.back().checksum, outcomes.front().checksum);
    EXPECT_EQ(outcomes.back().iterations, outcomes.front().iterations);
  }
}

}  // namespace
}  // namespace goban::heat::heat_effective_test
