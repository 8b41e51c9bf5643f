// Which coarser grids are predicted to be faster on one device.

#include "goban/domain/decomposition/amalgamation.hpp"

#include <gtest/gtest.h>

#include "tests/domain/decomposition/no_store.hpp"

namespace goban::amalgamation_test {
namespace {

/// The grids below a cube, visited by a cycle with three sweeps before and after.
std::vector<GridVisit> below(Index edge) {
  std::vector<GridVisit> visits;
  for (Index n = edge / 2; n >= 4; n /= 2) visits.push_back({{n, n, n}, 8, 3 * 8});
  return visits;
}

StepModel model_of(const std::string& machine) {
  StepModel model;
  model.device = test::shipped_machine(machine).device;
  model.links = links_of(test::shipped_machine(machine), Transport::automatic);
  return model;
}

/// Devices of one process along z.
ProcessGrid slabs(Index n) { return {{1, 1, n}, {1, 1, n}, {1, 1, n}}; }

/// Cells along an edge of the largest grid that is gathered; 0: none.
Index gathered(Index edge, const ProcessGrid& pieces, const StepModel& model) {
  const auto visits = below(edge);
  const Amalgamation found = amalgamate(visits, pieces, product(pieces.all), model);
  EXPECT_LE(found.seconds, found.spread);
  EXPECT_LE(found.seconds, found.gathered);
  return found.first < visits.size() ? visits[found.first].cells[0] : 0;
}

TEST(Amalgamation, GathersGridsWhoseHalosTakeLongerThanTheirCells) {
  const StepModel h200 = model_of("h200");
  for (const Index edge : {256, 512, 1024}) {
    // The same grids however many finer ones there are.
    EXPECT_EQ(gathered(edge, slabs(2), h200), gathered(512, slabs(2), h200));
  }
  const Index on_two = gathered(512, slabs(2), h200);
  EXPECT_GE(on_two, 16);
  EXPECT_LE(on_two, 128);
}

/// Over a link of no latency only grids are gathered that are cut anew anyway, over a slow one all.
TEST(Amalgamation, FollowsTheLink) {
  StepModel model = model_of("h200");
  model.links.in_process = {0, 1e18};
  EXPECT_LE(gathered(512, slabs(8), model), 16);
  Index before = 0;
  for (const double latency : {1e-6, 1e-5, 1e-4, 1e-3}) {
    model.links.in_process = {latency, 1e12};
    const Index edge = gathered(512, slabs(2), model);
    EXPECT_GE(edge, before) << latency;
    before = edge;
  }
  EXPECT_EQ(before, 256) << "all";
}

/// Two grids, by hand: launch 1, no bytes but those of memory at 1 byte a second.
TEST(Amalgamation, ByHand) {
  StepModel model;
  model.device.levels = {{.bandwidth = 1}};
  model.device.launch = 1;
  model.links.in_process = {3, std::numeric_limits<double>::infinity()};
  const std::vector<GridVisit> visits{{{4, 4, 8}, 2, 1}, {{2, 2, 4}, 2, 1}};
  const Amalgamation found = amalgamate(visits, slabs(2), 2, model);
  // Spread 2 (1 + 64 + 3); the coarser one would be thin and lies on one device anyway, 2 (1 + 16),
  // after a message there and before one back, 2 (1 + 3).
  EXPECT_EQ(found.spread, 136 + 34 + 8);
  EXPECT_EQ(found.seconds, found.spread);
  // 2 (1 + 128) and 34, two messages.
  EXPECT_EQ(found.gathered, 258 + 34 + 8);
  EXPECT_EQ(found.first, Amalgamation::none);
  model.links.in_process.latency = 100;
  EXPECT_TRUE(amalgamate(visits, slabs(2), 2, model).is_gathered());
}

TEST(Amalgamation, LeavesAloneWhatIsOnOneDevice) {
  Settings settings;
  settings.backend = Backend::emulated;
  settings.devices = {0, 1};
  test::NoStore context(settings);
  GridState fine;
  fine.context = &context;
  fine.cells = {32, 32, 32};
  const GridState& coarse = fine.add_coarser({2, 2, 2}, {.visits = below(32)});
  const Decomposition one = cut_evenly(fine.cells, {1, 1, 1}),
                      two = cut_evenly(fine.cells, {1, 1, 2});
  EXPECT_FALSE(predicted_amalgamation(one, coarse).is_gathered());
  EXPECT_GT(predicted_amalgamation(two, coarse).spread, 0);
  settings.devices = {0, cpu_device};
  test::NoStore mixed(settings);
  fine.context = &mixed;
  const GridState& other = fine.add_coarser({2, 2, 2}, {.visits = below(32)});
  EXPECT_EQ(predicted_amalgamation(two, other).spread, 0);
}

}  // namespace
}  // namespace goban::amalgamation_test
