// Fourier modes in a periodic box: the scheme multiplies them by g a step, known exactly.

#include <cmath>
#include <numbers>

#include "tests/apps/heat_run.hpp"

namespace goban::heat::heat_decay_test {
namespace {

constexpr double alpha = 1.0;

/// Largest |u / u0 - g^n| over the cells.
template <class T>
double decay_error(int order, Index steps, const Settings& settings) {
  const Index3 cells = {16, 12, 14};
  const GridOptions options = unit_cube(cells);
  Model model = periodic_mode({1, 1, 1});
  model.order = order;
  const double dt = 0.9 * largest_stable_step(alpha, order, cells, options.spacing.value, periodic);
  const double expected =
      std::pow(growth_of_mode(alpha, dt, order, {1, 1, 1}, cells, options.spacing.value),
               static_cast<double>(steps));
  const auto before = temperature_after<T>(0, model, dt, options, settings);
  const auto after = temperature_after<T>(steps, model, dt, options, settings);
  double worst = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(after[i]) / before[i] - expected));
  }
  return worst;
}

class HeatDecay : public ::testing::TestWithParam<int> {};

TEST_P(HeatDecay, DoubleMode_IsMultipliedByGEveryStep_OnEveryDecomposition) {
  for (const Settings& settings : decompositions({16, 12, 14})) {
    EXPECT_LE(decay_error<double>(GetParam(), 200, settings), 1e-12);
  }
}

TEST_P(HeatDecay, FloatMode_IsMultipliedByGEveryStep_OnEveryDecomposition) {
  for (const Settings& settings : decompositions({16, 12, 14})) {
    EXPECT_LE(decay_error<float>(GetParam(), 200, settings), 1e-5);
  }
}

TEST_P(HeatDecay, ObservedOrder_IsTheScheme) {
  const int order = GetParam();
  const double k2 = 3 * 4 * std::numbers::pi * std::numbers::pi;
  // Forward Euler with the exact Laplacian multiplies by 1 - alpha dt k^2: no error of time is
  // left.
  const auto error = [&](Index n) {
    const Index steps = 40;
    const double dt = 0.5 * largest_stable_step(alpha, order, {48, 48, 48},
                                                {1 / 48.0, 1 / 48.0, 1 / 48.0}, periodic);
    Model model = periodic_mode();
    model.order = order;
    const GridOptions options = unit_cube({n, n, n});
    const auto before = temperature_after<double>(0, model, dt, options);
    const auto after = temperature_after<double>(steps, model, dt, options);
    return std::abs(after[0] / before[0] - std::pow(1 - alpha * dt * k2, steps));
  };
  EXPECT_NEAR(std::log2(error(24) / error(48)), order, 0.1);
}

TEST_P(HeatDecay, LargestStableStep_IsWhereTheFastestModeStartsToGrow) {
  const Index3 cells = {8, 10, 12};
  const Real3 spacing = {0.1, 0.2, 0.3};
  const double dt = largest_stable_step(2.5, GetParam(), cells, spacing, periodic);
  const Index3 fastest = {4, 5, 6};
  EXPECT_NEAR(growth_of_mode(2.5, dt, GetParam(), fastest, cells, spacing), -1, 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Orders, HeatDecay, ::testing::Values(2, 4, 6, 8));

TEST(HeatDecay, CellsOfDifferentEdges_DecayAsTheFormulaSays) {
  const GridOptions options{.cells = {12, 16, 8}, .spacing = {0.5, 0.25, 2}};
  Model model = periodic_mode({2, 1, 3});
  model.medium.conductivity = 3;
  model.medium.heat_capacity = 2;
  model.order = 4;
  model.initial[0].length = {6, 4, 16};
  const double dt = 0.01;
  const double g = growth_of_mode(1.5, dt, 4, {2, 1, 3}, options.cells, options.spacing.value);
  const auto before = temperature_after<double>(0, model, dt, options);
  const auto after = temperature_after<double>(10, model, dt, options);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_NEAR(after[i], std::pow(g, 10) * before[i], 1e-13);
  }
}

TEST(HeatDecay, HalfStorage_StaysWithinItsRounding) {
  const GridOptions options = unit_cube({16, 16, 16});
  const Model model = periodic_mode();
  const double dt =
      0.9 * largest_stable_step(alpha, 2, options.cells, options.spacing.value, periodic);
  const double g = growth_of_mode(alpha, dt, 2, {1, 1, 1}, options.cells, options.spacing.value);
  const auto before = temperature_after<double>(0, model, dt, options);
  const auto after = temperature_after<half>(20, model, dt, options);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_NEAR(static_cast<float>(after[i]), std::pow(g, 20) * before[i], 20 * 0x1p-11);
  }
}

TEST(HeatDecay, UniformTemperature_StaysTheSameToTheLastBit) {
  for (const int order : {2, 4, 6, 8}) {
    Model model;
    model.order = order;
    model.boundary = mirror;
    model.initial = {Profile{.amplitude = 293.15}};
    const auto after = temperature_after<float>(100, model, 1e-4, unit_cube({16, 16, 16}, mirror));
    for (const float u : after) ASSERT_EQ(u, 293.15f);
  }
}

}  // namespace
}  // namespace goban::heat::heat_decay_test
