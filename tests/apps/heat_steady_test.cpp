// Steady states by conjugate gradients.

#include "heat/steady.hpp"

#include "tests/apps/heat_run.hpp"

namespace goban::heat::heat_steady_test {
namespace {

struct Solution {
  std::vector<double> u;
  Index iterations = 0;
  double residual = 0;
};

Solution solve(const Model& model, const GridOptions& options, double tolerance) {
  Runtime runtime;
  Grid grid(runtime, options);
  SteadyState<1, ijk> state(grid, model);
  Engine engine(state.program());
  StepClock clock;
  while (state.residual.value() >= tolerance && clock.step < 2000) engine.run(1, clock);
  return {state.u.copy_out(), clock.step, state.residual.value()};
}

Model between_walls(double low, double high) {
  Model model;
  model.boundary = BoundarySet(mirror);
  model.boundary.at(Axis::x, Side::low) = wall_value(low);
  model.boundary.at(Axis::x, Side::high) = wall_value(high);
  return model;
}

Profile layer(double from, double to, double conductivity) {
  return {.shape = Profile::Shape::box,
          .amplitude = conductivity,
          .lower = {from, 0, 0},
          .upper = {to, 1, 1}};
}

TEST(HeatSteady, ProfileThroughLayers_IsExact) {
  Model model = between_walls(300, 400);
  const double k[] = {2, 50, 0.3};
  model.medium.inclusions = {layer(0, 0.25, k[0]), layer(0.25, 0.75, k[1]), layer(0.75, 1, k[2])};
  const Solution solution = solve(model, unit_cube({24, 5, 6}, model.boundary), 1e-14);
  const double flow = 100 / (0.25 / k[0] + 0.5 / k[1] + 0.25 / k[2]);
  for (std::size_t i = 0; i < solution.u.size(); ++i) {
    const double x = (static_cast<double>(i % 24) + 0.5) / 24;
    const double exact =
        300 + flow * (std::min(x, 0.25) / k[0] + std::clamp(x - 0.25, 0.0, 0.5) / k[1] +
                      std::max(x - 0.75, 0.0) / k[2]);
    ASSERT_NEAR(solution.u[i], exact, 1e-9);
  }
}

TEST(HeatSteady, MultigridFindsTheSameInFewIterations) {
  Model model = between_walls(300, 400);
  model.boundary.at(Axis::y, Side::high) = constant(350);
  model.medium.inclusions = {layer(0.25, 0.5, 100), layer(0.75, 1, 0.1)};
  model.sources = {Profile{.amplitude = 40}};
  const GridOptions grid = unit_cube({32, 32, 16}, model.boundary);
  const Solution by_diagonal = solve(model, grid, 1e-12);
  model.solver = Solver::multigrid;
  const Solution by_multigrid = solve(model, grid, 1e-12);
  EXPECT_LT(by_multigrid.iterations, 40);
  EXPECT_GT(by_diagonal.iterations, 100);
  for (std::size_t i = 0; i < by_diagonal.u.size(); ++i) {
    ASSERT_NEAR(by_multigrid.u[i], by_diagonal.u[i], 1e-7);
  }
}

TEST(HeatSteady, UniformSourceBetweenWalls_IsAParabola) {
  Model model = between_walls(0, 0);
  model.medium.conductivity = 5;
  model.sources = {Profile{.amplitude = 40}};
  const Solution solution = solve(model, unit_cube({32, 4, 4}, model.boundary), 1e-13);
  // The three-point scheme is exact for a parabola but for the walls: h^2 q / (8 k) there.
  const double offset = 40.0 / (8 * 5 * 32 * 32);
  for (std::size_t i = 0; i < 32; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / 32;
    ASSERT_NEAR(solution.u[i], 40 / (2 * 5.0) * x * (1 - x) + offset, 1e-11);
  }
}

TEST(HeatSteady, FlowsInAndOut_HoldWithATemperatureSomewhere) {
  Model model = between_walls(10, 0);
  model.boundary.at(Axis::x, Side::high) = gradient(-3);
  const Solution solution = solve(model, unit_cube({16, 4, 4}, model.boundary), 1e-13);
  for (std::size_t i = 0; i < 16; ++i) {
    ASSERT_NEAR(solution.u[i], 10 - 3 * (static_cast<double>(i) + 0.5) / 16, 1e-11);
  }
}

TEST(HeatSteady, MirroredBoxWithBalancedSources_HasASteadyState) {
  Model model;
  model.boundary = mirror;
  model.sources = {
      Profile{.amplitude = 1},
      Profile{
          .shape = Profile::Shape::box, .amplitude = -2, .lower = {0.5, 0, 0}, .upper = {1, 1, 1}}};
  const Solution solution = solve(model, unit_cube({16, 8, 8}, mirror), 1e-12);
  EXPECT_LT(solution.residual, 1e-12);
  EXPECT_LT(solution.iterations, 200);
}

TEST(HeatSteady, MirroredBoxWithASource_IsRefused) {
  Model model;
  model.boundary = mirror;
  model.sources = {Profile{.amplitude = 1}};
  try {
    solve(model, unit_cube({8, 8, 8}, mirror), 1e-6);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "there is no steady state (no side holds a temperature and more heat is released "
                 "than flows out); hold the temperature of a side or balance the sources");
  }
}

TEST(HeatSteady, TheSteadyStateItself_StaysAsItIs) {
  Model model = between_walls(4, 4);
  model.initial = {Profile{.amplitude = 4}};
  const Solution solution = solve(model, unit_cube({8, 8, 8}, model.boundary), 1e-6);
  EXPECT_EQ(solution.residual, 0);
  for (const double u : solution.u) ASSERT_EQ(u, 4);
}

}  // namespace
}  // namespace goban::heat::heat_steady_test
