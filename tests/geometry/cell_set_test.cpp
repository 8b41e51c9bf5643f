#include "goban/geometry/cell_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace goban::cell_set_test {
namespace {

TEST(CellSet, HoldsWhatWasAdded_AndCountsIt) {
  std::mt19937 random(7);
  std::set<Index3> expected;
  CellSet cells;
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
  }
  cells.sort();
  EXPECT_EQ(cells.size(), static_cast<Index>(expected.size()));
  Index count = 0;
  cells.each([&](Index3 cell, Index rank) {
    EXPECT_EQ(rank, count++);
    EXPECT_EQ(cells.rank(cell), rank);
    EXPECT_EQ(expected.count(cell), 1u);
  });
  EXPECT_EQ(count, cells.size());
  EXPECT_FALSE(cells.contains({-1, 0, 1'000'000}));
  EXPECT_EQ(cells.rank({39, 8, 0}), -1);
}

TEST(CellSet, TilesFollowMortonsCurve) {
  CellSet cells;
  for (const Index3& cell : {Index3{8, 8, 0}, {0, 8, 0}, {8, 0, 0}, {0, 0, 0}, {0, 0, 8}})
    cells.add(cell);
  cells.sort();
  std::vector<Index3> order;
  for (Index tile = 0; tile < cells.tiles(); ++tile) order.push_back(cells.tile_origin(tile));
  EXPECT_EQ(order, (std::vector<Index3>{{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {8, 8, 0}, {0, 0, 8}}));
}

}  // namespace
}  // namespace goban::cell_set_test
