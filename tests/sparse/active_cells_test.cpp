// Lists of active cells: their order, who is beside whom, what patches read of each other.

#include "goban/grid/active_cells.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "goban/grid/list_halos.hpp"
#include "goban/grid/list_neighbors.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/error_text.hpp"
#include "tests/sparse/porous.hpp"

namespace goban::active_cells_test {
namespace {

using test::is_pore;

constexpr Index3 box{21, 13, 18};

TEST(ActiveCells, NumbersAndPlacesAreInverse) {
  const ActiveCells list(box, is_pore);
  Index count = 0;
  for (Index z = 0; z < box[2]; ++z) {
    for (Index y = 0; y < box[1]; ++y) {
      for (Index x = 0; x < box[0]; ++x) {
        const Index number = list.find({x, y, z});
        ASSERT_EQ(number >= 0, is_pore({x, y, z}));
        if (number < 0) continue;
        ++count;
        ASSERT_EQ(list[number], (Index3{x, y, z}));
      }
    }
  }
  EXPECT_EQ(list.size(), count);
  EXPECT_EQ(list.find({-1, 0, 0}), -1);
  EXPECT_EQ(list.find({0, 0, box[2]}), -1);
}

TEST(ActiveCells, RowsHoldEveryCellOnceInOrder) {
  const ActiveCells list(box, is_pore);
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, list.size()}, {17, 18}, {33, 411}}) {
    Index next = begin;
    list.each_row(begin, end, [&](Index3 first, Index number, Index count) {
      ASSERT_EQ(number, next);
      for (Index i = 0; i < count; ++i) ASSERT_EQ(list[number + i], first + (Index3{i, 0, 0}));
      next += count;
    });
    EXPECT_EQ(next, end);
  }
}

TEST(ActiveCells, DependOnTheCellsAlone) {
  const ActiveCells list(box, is_pore);
  std::vector<Index3> cells;
  for (Index n = list.size(); n-- > 0;) cells.push_back(list[n]);
  cells.push_back(cells.front());
  const ActiveCells again(box, cells);
  EXPECT_EQ(again.size(), list.size());
  EXPECT_EQ(again.hash(), list.hash());
  cells.resize(cells.size() / 2);
  EXPECT_NE(ActiveCells(box, cells).hash(), list.hash());
  EXPECT_NE(ActiveCells({22, 13, 18}, is_pore).hash(), list.hash());
}

TEST(ActiveCells, HoldWhatWasAddedAndIsNotRemoved) {
  std::mt19937 random(7);
  std::set<Index3> expected;
  ActiveCells cells({40, 9, 1'000'020});
  for (int n = 0; n < 3000; ++n) {
    const Index3 cell = {static_cast<Index>(random() % 40), static_cast<Index>(random() % 9),
                         static_cast<Index>(1'000'000 + random() % 20)};
    expected.insert(cell);
    cells.add(cell);
  }
  for (int n = 0; n < 200; ++n) {
    const Index3 gone = *expected.begin();
    expected.erase(gone);
    cells.remove(gone);
    EXPECT_FALSE(cells.contains(gone));
  }
  cells.sort();
  EXPECT_EQ(cells.size(), static_cast<Index>(expected.size()));
  Index count = 0;
  cells.each([&](Index3 cell, Index number) {
    EXPECT_EQ(number, count++);
    EXPECT_EQ(cells.find(cell), number);
    EXPECT_TRUE(cells.contains(cell));
    EXPECT_EQ(expected.count(cell), 1u);
  });
  EXPECT_EQ(count, cells.size());
  EXPECT_FALSE(cells.contains({-1, 0, 1'000'000}));
  EXPECT_EQ(cells.find({39, 8, 0}), -1);
  EXPECT_EQ(test::error_of([&] {
              cells.add({40, 0, 0});
            }),
            "an active cell lies outside of the box ([40:41 x 0:1 x 0:1] is not in [0:40 x 0:9 x "
            "0:1000020])");
}

TEST(ActiveCells, TilesFollowMortonsCurve) {
  const ActiveCells cells(
      {16, 16, 16}, std::vector<Index3>{{8, 8, 0}, {0, 8, 0}, {8, 0, 0}, {0, 0, 0}, {0, 0, 8}});
  std::vector<Index3> order;
  cells.each([&](Index3 cell, Index) { order.push_back(cell); });
  EXPECT_EQ(order, (std::vector<Index3>{{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {8, 8, 0}, {0, 0, 8}}));
}

TEST(ActiveCells, RefusesWhatIsNone) {
  Runtime runtime(Settings{});
  const auto make = [&](const Active& active) {
    return [&runtime, active] { Grid(runtime, {.cells = {4, 4, 4}, .active = active}); };
  };
  EXPECT_EQ(test::error_of(make([](Index3) { return false; })),
            "the grid has no cells (none is active)");
  EXPECT_EQ(test::error_of(make(std::vector<std::uint8_t>(63, 1))),
            "the active cells are refused (63 bytes were given for 64 cells); give one for every "
            "cell of the box, x fastest");
  EXPECT_EQ(test::error_of(make(std::vector<Index3>{{0, 4, 0}})),
            "an active cell lies outside of the box ([0:1 x 4:5 x 0:1] is not in [0:4 x 0:4 x "
            "0:4])");
}

/// By looking for every cell in the box.
ListNeighbor neighbor_of(const GridState& grid, Index3 cell) {
  ListNeighbor found;
  for (int a = 0; a < 3; ++a) {
    const Index n = grid.active->box()[a];
    if (cell[a] >= 0 && cell[a] < n) continue;
    if (grid.is_box_periodic(a)) {
      cell[a] = (cell[a] + n) % n;
    } else {
      found.face = 1 + 2 * a + (cell[a] < 0 ? 0 : 1);
    }
  }
  if (found.face == 0) found.number = grid.active->find(cell);
  return found;
}

TEST(ListNeighbors, AreThoseOfTheBox) {
  Runtime runtime(Settings{});
  Grid grid(runtime,
            {.cells = {29, 24, 26}, .boundary = {periodic, mirror, periodic}, .active = is_pore});
  const GridState& state = *grid.state();
  for (Index n = 0; n < state.active->size(); ++n) {
    ListNeighbors neighbors(state, state.active->tile_of(n));
    const Index3 cell = (*state.active)[n];
    for (const auto& o : {std::array{-1, 0, 0}, {0, 1, 0}, {1, -1, 1}, {0, -8, 0}, {8, 8, -8}}) {
      const ListNeighbor found = neighbors.at(cell, o);
      const ListNeighbor expected = neighbor_of(state, cell + Index3{o[0], o[1], o[2]});
      ASSERT_EQ(found.number, expected.number);
      if (expected.number < 0) {
        ASSERT_EQ(found.face, expected.face);
      }
    }
  }
}

TEST(ListHalos, BothEndsSeeTheSameCellsInTheSameOrder) {
  Runtime runtime(Settings{});
  Grid grid(runtime, {.cells = box, .boundary = periodic, .active = is_pore});
  const GridState& state = *grid.state();
  Decomposition cut = cut_evenly(state.cells, {5, 1, 1});
  const ListHalos::Offsets offsets{{1, 0, 0}, {0, -1, 1}, {-2, 0, 0}};
  const ListHalos all(state, cut, 0, 0, 2);
  cut.ranks = {5, 1, 1};
  for (int from = 0; from < 5; ++from) {
    for (int to = 0; to < 5; ++to) {
      if (from == to) continue;
      const auto both = all.cells(from, to, offsets);
      ASSERT_EQ(both->source.size(), both->target.size());
      const ListHalos sender(state, cut, 0, from, 2), receiver(state, cut, 0, to, 2);
      EXPECT_EQ(sender.cells(from, to, offsets)->source, both->source);
      EXPECT_EQ(receiver.cells(from, to, offsets)->target, both->target);
      for (std::size_t i = 0; i < both->size(); ++i) {
        const Index number = cut.owned(from).lower[0] + both->source[i];
        ASSERT_EQ(all.local(to, number), both->target[i]);
      }
    }
  }
}

TEST(ListHalos, NearGhostsStayWhereTheyAreWhenMoreAreReached) {
  Runtime runtime(Settings{});
  Grid grid(runtime, {.cells = box, .boundary = periodic, .active = is_pore});
  const GridState& state = *grid.state();
  const Decomposition cut = cut_evenly(state.cells, {3, 1, 1});
  const ListHalos near(state, cut, 0, 0, 1), far(state, cut, 0, 0, 3);
  EXPECT_EQ(near.ghosts(1), far.ghosts(1));
  EXPECT_LT(far.ghosts(1)[0], far.ghosts(3)[0]);
  Index ghosts = 0;
  for (Index n = 0; n < state.cells[0]; ++n) {
    if (near.local(1, n) < 0) continue;
    EXPECT_EQ(near.local(1, n), far.local(1, n));
    ghosts += near.local(1, n) >= cut.owned(1).extent(0) ? 1 : 0;
  }
  EXPECT_GT(ghosts, 0);
}

}  // namespace
}  // namespace goban::active_cells_test
