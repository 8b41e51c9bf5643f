// Which rank gets which patches, for any grid, any number of ranks and machines.

#include "goban/domain/decomposition/choose.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "goban/field/record.hpp"
#include "tests/domain/decomposition/no_store.hpp"

namespace goban::choose_test {
namespace {

Decomposition chosen(Index3 cells, const std::vector<int>& machines, Settings settings = {}) {
  test::NoStore context(std::move(settings));
  const Grid grid(context, {.cells = cells});
  return choose_decomposition(*grid.state(), machines);
}

std::vector<int> machines_of(int count, int ranks_of_each) {
  std::vector<int> machines;
  for (int m = 0; m < count; ++m) machines.insert(machines.end(), ranks_of_each, m);
  return machines;
}

/// Cells of every machine.
std::map<int, Box> boxes_of(const Decomposition& decomposition, const std::vector<int>& machines) {
  std::map<int, Box> boxes;
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    const Box box = decomposition.owned_by(static_cast<int>(rank));
    if (box.empty()) continue;
    const auto [at, is_first] = boxes.try_emplace(machines[rank], box);
    if (!is_first) at->second = hull(at->second, box);
  }
  return boxes;
}

bool can_be_cut(Index3 cells, Index n) {
  for (Index x = 1; x <= std::min(n, cells[0]); ++x) {
    for (Index y = 1; n % x == 0 && y <= std::min(n / x, cells[1]); ++y) {
      if (n / x % y == 0 && n / x / y <= cells[2]) return true;
    }
  }
  return false;
}

Index3 any_cells() {
  return {*rc::gen::inRange<Index>(1, 60), *rc::gen::inRange<Index>(1, 60),
          *rc::gen::inRange<Index>(1, 60)};
}

/// Numbered in the order of ranks.
std::vector<int> any_machines() {
  const auto drawn =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5)));
  std::map<int, int> numbers;
  std::vector<int> machines;
  for (const int machine : drawn) {
    machines.push_back(
        numbers.try_emplace(machine, static_cast<int>(numbers.size())).first->second);
  }
  return machines;
}

RC_GTEST_PROP(Placement, EveryCellHasOneRankAndAsManyRanksAsCanHaveSome, ()) {
  const Index3 cells = any_cells();
  const auto machines = any_machines();
  const Decomposition d = chosen(cells, machines);
  Index found = 0, owners = 0;
  for (int rank = 0; rank < static_cast<int>(machines.size()); ++rank) {
    const Box block = d.block_of(rank);
    found += d.owned_by(rank).volume();
    owners += block.empty() ? 0 : 1;
    for (int patch = 0; patch < d.patches(); ++patch) {
      const Index3 c = d.coordinates(patch);
      RC_ASSERT(block.contains(Box{c, c + Index3{1, 1, 1}}) == (d.rank_of(patch) == rank));
    }
  }
  RC_ASSERT(found == product(cells));
  RC_ASSERT(owners == product(d.ranks));
  for (auto n = owners + 1; n <= static_cast<Index>(machines.size()); ++n) {
    RC_ASSERT(!can_be_cut(cells, n));
  }
}

RC_GTEST_PROP(Placement, MachinesThatAreAlikeHaveBoxes, ()) {
  const Index3 cells = any_cells();
  const auto machines = machines_of(*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 9));
  const Decomposition d = chosen(cells, machines);
  RC_PRE(product(d.ranks) == static_cast<Index>(machines.size()));
  Index found = 0;
  for (const auto& [machine, box] : boxes_of(d, machines)) found += box.volume();
  RC_ASSERT(found == product(cells));
}

RC_GTEST_PROP(Placement, TheOrderInWhichRanksAreDealtOutDoesNotMatter, ()) {
  const Index3 cells = any_cells();
  const int count = *rc::gen::inRange(1, 5), each = *rc::gen::inRange(1, 7);
  const auto filled = machines_of(count, each);
  std::vector<int> in_turn;
  for (int r = 0; r < count * each; ++r) in_turn.push_back(r % count);
  RC_ASSERT(boxes_of(chosen(cells, filled), filled) == boxes_of(chosen(cells, in_turn), in_turn));
}

RC_GTEST_PROP(Placement, AProcessGridThatIsAskedForIsTaken, ()) {
  Settings settings;
  settings.patches = {*rc::gen::inRange<Index>(1, 5), *rc::gen::inRange<Index>(1, 5),
                      *rc::gen::inRange<Index>(1, 5)};
  const auto machines = std::vector<int>(static_cast<std::size_t>(product(settings.patches)), 0);
  const Decomposition d = chosen({11, 13, 7}, machines, settings);
  RC_ASSERT(d.process_grid() == settings.patches);
  RC_ASSERT(d.ranks == settings.patches);
}

TEST(Placement, UnequalMachinesHaveTheirRanksInSequence) {
  const std::vector<int> machines{0, 1, 1, 0, 1};
  const Decomposition d = chosen({4, 4, 50}, machines);
  EXPECT_EQ(d.ranks, (Index3{1, 1, 5}));
  const auto boxes = boxes_of(d, machines);
  EXPECT_EQ(boxes.at(0), (Box{{0, 0, 0}, {4, 4, 20}}));
  EXPECT_EQ(boxes.at(1), (Box{{0, 0, 20}, {4, 4, 50}}));
}

}  // namespace
}  // namespace goban::choose_test
