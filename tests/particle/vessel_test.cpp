// A crowd in a vessel: a grid of the cells of blood alone has the bits of one with walls.

#include <gtest/gtest.h>

#include <filesystem>

#include "goban/particle/inside.hpp"
#include "goban/particle/packing.hpp"
#include "tests/gpu.hpp"
#include "tests/particle/suspension.hpp"
#include "tests/ranks.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::vessel_test {
namespace {

namespace fs = std::filesystem;

BodyShape red_cell() {
  BodyShape shape;
  shape.semi_axes = {2.2, 2.2, 1.2};
  shape.density = 1.1;
  return in_fluid(shape, 1.0 / 12);
}

/// A bent tube.
bool is_blood(Index3 i) {
  const double x = static_cast<double>(i[0]) + 0.5;
  const double y = static_cast<double>(i[1]) + 0.5 - 10 - 2 * std::sin(2 * 3.14159265 * x / 40);
  const double z = static_cast<double>(i[2]) + 0.5 - 9;
  return y * y + z * z < 7.5 * 7.5;
}

struct State {
  std::vector<Body> bodies;
  std::vector<double> f;
};

State state_after(Index steps, bool is_list, const std::vector<Body>& bodies,
                  const Settings& settings) {
  Runtime runtime(settings);
  test::Suspension s(
      runtime,
      {.cells = {40, 20, 18}, .drive = {2e-4, 0, 0}, .is_fluid = is_blood, .is_list = is_list},
      {.shapes = {red_cell()}, .repulsion = {.strength = 1e-4}, .wall_strength = 0.02});
  s.bodies.place(bodies);
  s.run(steps);
  std::vector<double> f = s.f.copy_out();
  for (std::size_t n = 0; !is_list && n < f.size(); ++n) {
    const auto cell = static_cast<Index>(n) % (40 * 20 * 18);
    if (!is_blood({cell % 40, cell / 40 % 20, cell / 800})) f[n] = 0;
  }
  return {s.bodies.all(), f};
}

std::vector<Body> crowd() {
  Runtime runtime(test::one_thread());
  Grid grid(runtime, {.cells = {40, 20, 18}, .boundary = periodic, .active = is_blood});
  return packed(grid, red_cell(), {.hematocrit = 0.35});
}

void expect_same(const State& a, const State& b) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t n = 0; n < a.bodies.size(); ++n) {
    EXPECT_EQ(a.bodies[n].position, b.bodies[n].position) << n;
    EXPECT_EQ(a.bodies[n].rotation, b.bodies[n].rotation) << n;
  }
  EXPECT_EQ(a.f, b.f);
}

TEST(Vessel, OfActiveCellsHasTheBitsOfOneWithWalls) {
  const auto bodies = crowd();
  ASSERT_GT(bodies.size(), 20);
  const State dense = state_after(40, false, bodies, test::one_thread());
  expect_same(state_after(40, true, bodies, test::one_thread()), dense);
  for (const int ranks : {2, 7}) {
    test::run_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      Settings settings = test::one_thread();
      settings.communicator = communicator;
      expect_same(state_after(40, true, bodies, settings), dense);
    });
  }
  Settings emulated = test::one_thread();
  emulated.backend = Backend::emulated;
  expect_same(state_after(40, true, bodies, emulated), dense);
  if (test::has_gpu()) {
    Settings gpu = test::one_thread();
    gpu.backend = Backend::cuda;
    gpu.devices = {0};
    expect_same(state_after(40, true, bodies, gpu), dense);
  }
}

/// The state at the end of a run with checkpoints.
State state_of_run(const fs::path& folder, Index steps, const Restart& restart,
                   const std::vector<Body>& bodies, const Settings& settings) {
  Runtime runtime(settings);
  test::Suspension s(
      runtime,
      {.cells = {40, 20, 18}, .drive = {2e-4, 0, 0}, .is_fluid = is_blood, .is_list = true},
      {.shapes = {red_cell()}, .repulsion = {.strength = 1e-4}, .wall_strength = 0.02});
  s.bodies.place(bodies);
  Simulation simulation(s.grid, s.step,
                        {.steps = steps, .directory = folder.string(), .restart = restart});
  simulation.checkpoint(every(10));
  simulation.run();
  return {s.bodies.all(), s.f.copy_out()};
}

TEST(Vessel, RunsGoOnWithTheListInOtherParts) {
  const auto bodies = crowd();
  const State whole = state_after(30, true, bodies, test::one_thread());
  const auto settings_of = [](int parts) {
    Settings settings = test::one_thread();
    settings.parts = parts;
    return settings;
  };
  for (const auto& [first, then] : {std::pair{3, 1}, {1, 3}, {3, 2}}) {
    for (const int ranks : {1, 3}) {
      const test::ScratchFolder folder;
      test::run_ranks(ranks, [&, parts = first](const std::shared_ptr<Communicator>& all) {
        Settings settings = settings_of(parts);
        settings.communicator = all;
        state_of_run(folder.path(), 20, {}, bodies, settings);
      });
      test::run_ranks(4 - ranks, [&, parts = then](const std::shared_ptr<Communicator>& all) {
        Settings settings = settings_of(parts);
        settings.communicator = all;
        expect_same(state_of_run(folder.path(), 30, restart_newest(), bodies, settings), whole);
      });
    }
  }
}

TEST(Vessel, CrowdsHaveTheHematocritOfActiveCells) {
  Runtime runtime(test::one_thread());
  Grid grid(runtime, {.cells = {40, 20, 18}, .boundary = periodic, .active = is_blood});
  Bodies bodies(grid, {.shapes = {red_cell()}});
  bodies.place(crowd());
  EXPECT_NEAR(bodies.hematocrit(), 0.35, 0.01);
  EXPECT_NEAR(bodies.hematocrit({{0, 0, 0}, {40, 20, 18}}), bodies.hematocrit(), 1e-15);
  for (const Body& body : bodies.all()) {
    visit_nodes_inside(state_of(0, body), red_cell(), [](Index3 node) {
      node[0] = (node[0] + 40) % 40;
      EXPECT_TRUE(is_blood(node));
    });
  }
}

}  // namespace
}  // namespace goban::vessel_test
