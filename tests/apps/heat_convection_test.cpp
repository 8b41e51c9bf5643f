// Sides that a fluid cools, bodies with heat capacities of their own, and the balance of heat.

#include <cmath>
#include <numeric>

#include "heat/sides.hpp"
#include "heat/steady.hpp"
#include "tests/apps/heat_run.hpp"
#include "tests/domain/same_bits.hpp"

namespace goban::heat::heat_convection_test {
namespace {

using Shape = Profile::Shape;

Model insulated() {
  Model model;
  model.boundary = mirror;
  return model;
}

void cool(Model& model, Axis axis, Side side, double coefficient, double temperature) {
  model.boundary.at(axis, side) = wall_value(temperature);
  model.convection[static_cast<std::size_t>(index_of(axis))]
                  [static_cast<std::size_t>(index_of(side))] = coefficient;
}

Profile box(double lower, double upper, double amplitude) {
  return {
      .shape = Shape::box, .amplitude = amplitude, .lower = {lower, 0, 0}, .upper = {upper, 1, 1}};
}

TEST(HeatConvection, ASlabBetweenAWallAndAFluid_IsALine) {
  for (const Solver solver : {Solver::diagonal, Solver::multigrid}) {
    Model model = insulated();
    model.solver = solver;
    model.medium.conductivity = 3;
    model.boundary.at(Axis::x, Side::low) = wall_value(400);
    cool(model, Axis::x, Side::high, 12, 300);
    Runtime runtime;
    Grid grid(runtime, unit_cube({16, 4, 4}, model.boundary));
    SteadyState<1, ijk> state(grid, model);
    Engine engine(state.program());
    StepClock clock;
    while (state.residual.value() >= 1e-13 && clock.step < 500) engine.run(1, clock);
    EXPECT_LT(clock.step, 100);
    const double flow = 100 / (1.0 / 3 + 1.0 / 12);
    const auto u = state.u.copy_out();
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_NEAR(u[i], 400 - flow / 3 * (static_cast<double>(i) + 0.5) / 16, 1e-8);
    }
    const SideFlows flows(model, state.u, state.medium.conductivity);
    EXPECT_NEAR(flows.flow(0, 0, 0), -flow, 1e-6);
    EXPECT_NEAR(flows.flow(0, 1, 0), flow, 1e-6);
    EXPECT_EQ(flows.columns(Parameter<double>("now")).size(), 2u);
  }
}

/// A small body in a fluid cools by its surface, whatever it conducts: c dT/dt = -6 b (T - T_f) /
/// a.
TEST(HeatConvection, ASmallBody_CoolsAsAWhole) {
  Model model = insulated();
  model.initial = {Profile{.amplitude = 350}};
  model.medium = {.conductivity = 1000, .heat_capacity = 50};
  for (const Axis axis : all_axes) {
    for (const Side side : {Side::low, Side::high}) cool(model, axis, side, 0.1, 300);
  }
  constexpr double dt = 1e-5;
  constexpr Index steps = 4000;
  const auto u = temperature_after<double>(steps, model, dt, unit_cube({8, 8, 8}, model.boundary));
  const double exact = 300 + 50 * std::exp(-6 * 0.1 / 50 * dt * steps);
  for (const double value : u) EXPECT_NEAR(value, exact, 1e-4 * 50);
}

TEST(HeatConvection, AFluidThatTakesAllHeat_IsAWall) {
  Model wall = insulated();
  wall.initial = {Profile{.amplitude = 350}};
  wall.medium.inclusions = {box(0.5, 1, 2)};
  wall.boundary.at(Axis::y, Side::high) = wall_value(300);
  Model film = wall;
  cool(film, Axis::y, Side::high, 1e15, 300);
  const Index3 cells{6, 5, 4};
  const auto of_wall = temperature_after<double>(20, wall, 1e-3, unit_cube(cells, wall.boundary));
  const auto of_film = temperature_after<double>(20, film, 1e-3, unit_cube(cells, film.boundary));
  for (std::size_t i = 0; i < of_wall.size(); ++i) EXPECT_NEAR(of_film[i], of_wall[i], 1e-9);
}

/// Steps of a model, and by how much the heat changes that the flows do not explain.
template <class T>
void expect_balance(const Model& model, Index3 cells, double dt, double tolerance) {
  Runtime runtime;
  Grid grid(runtime, unit_cube(cells, model.boundary));
  ExplicitStep<T, ijk> step(grid, model, dt);
  std::optional<AnyField> conductivity;
  if (step.medium) conductivity = AnyField(step.medium->conductivity);
  const SideFlows flows(model, step.u, conductivity);
  const Real3 h = grid.spacing();
  Engine engine(step.program());
  StepClock clock;
  clock.dt = dt;
  const auto content = [&] {
    const Program balance = step.balance();
    StepClock now = clock;
    if (!balance.stages().empty()) Engine(balance).run(1, now);
    return model.medium.heat_capacity * h[0] * h[1] * h[2] * step.content();
  };
  double before = content();
  for (int n = 0; n < 5; ++n) {
    double lost = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t side = 0; side < 2; ++side) lost += flows.flow(a, side, clock.time);
    }
    engine.run(1, clock);
    const double after = content();
    EXPECT_NEAR(after - before, -dt * lost, tolerance * before) << n;
    EXPECT_GT(std::abs(lost), 1);
    before = after;
  }
}

TEST(HeatConvection, TheContent_LosesWhatFlowsThroughTheSides) {
  Model model = insulated();
  model.initial = {Profile{.amplitude = 350}, Profile{.shape = Shape::gaussian, .radius = 0.2}};
  model.initial[1].center = {0.5, 0.5, 0.5};
  model.boundary.at(Axis::x, Side::low) = wall_value(300);
  model.boundary.at(Axis::x, Side::high) = gradient(-20);
  model.boundary.at(Axis::y, Side::low) = constant(320);
  for (const int order : {2, 4, 6, 8}) {
    model.order = order;
    expect_balance<double>(model, {12, 9, 8}, 1e-4, 1e-14);
  }
  model.order = 2;
  expect_balance<float>(model, {12, 9, 8}, 1e-4, 1e-6);
  cool(model, Axis::z, Side::high, 7, 310);
  model.medium.inclusions = {box(0.25, 0.5, 5), box(0.8, 1, 0.1)};
  model.medium.capacities = {box(0.25, 0.5, 4), box(0.8, 1, 0.5)};
  expect_balance<double>(model, {12, 9, 8}, 1e-4, 1e-14);
}

/// Two bodies end at the mean of their temperatures, weighted with what they hold.
TEST(HeatConvection, BodiesWithTheirOwnCapacities_ShareTheirHeat) {
  Model model = insulated();
  model.initial = {box(0, 0.25, 400), box(0.25, 1, 300)};
  model.medium.inclusions = {box(0, 0.25, 2)};
  model.medium.capacities = {box(0, 0.25, 6)};
  const Index3 cells{16, 1, 1};
  const double h = 1.0 / 16;
  const double dt = 0.4 * h * h;
  const auto u = temperature_after<double>(20000, model, dt, unit_cube(cells, model.boundary));
  for (const double value : u) EXPECT_NEAR(value, (6 * 400 + 3 * 300) / 9.0, 1e-9);
}

TEST(HeatConvection, TheTimeStep_IsThatOfTheFastestMaterial) {
  const auto self = self_communicator();
  Medium medium{.conductivity = 0.026, .heat_capacity = 1.2e3};
  EXPECT_DOUBLE_EQ(largest_diffusivity(medium, *self), 0.026 / 1.2e3);
  medium.inclusions = {box(0, 1, 400)};
  EXPECT_DOUBLE_EQ(largest_diffusivity(medium, *self), 400 / 1.2e3) << "all have one capacity";
  medium.capacities = {box(0, 1, 3.4e6)};
  EXPECT_DOUBLE_EQ(largest_diffusivity(medium, *self), 400 / 3.4e6);
  medium.capacities = {box(0, 1, 3.4e7)};
  EXPECT_DOUBLE_EQ(largest_diffusivity(medium, *self), 2 * 0.026 / 1.2e3);
}

TEST(HeatConvection, SameBitsEveryWay) {
  Model model = insulated();
  model.initial = {Profile{.amplitude = 350}};
  cool(model, Axis::x, Side::high, 7, 310);
  cool(model, Axis::z, Side::low, 2, 290);
  model.medium.inclusions = {box(0.25, 0.5, 5)};
  model.medium.capacities = {box(0.25, 0.5, 4)};
  model.sources = {box(0, 0.3, 1000)};
  model.varying_sources = {{Profile(), TimeValue(30)}};
  const Index3 cells = {23, 12, 10};
  const auto expected =
      temperature_after<float>(9, model, 1e-4, unit_cube(cells, model.boundary), test::plainest());
  for (Settings settings : decompositions(cells)) {
    for (const Backend backend : {Backend::cpu, Backend::emulated}) {
      settings.backend = backend;
      EXPECT_EQ(
          temperature_after<float>(9, model, 1e-4, unit_cube(cells, model.boundary), settings),
          expected)
          << test::options_of(settings);
    }
  }
}

}  // namespace
}  // namespace goban::heat::heat_convection_test
