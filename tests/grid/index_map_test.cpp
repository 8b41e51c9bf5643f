#include "goban/grid/index_map.hpp"

#include <gtest/gtest.h>

#include "goban/grid/patches.hpp"

namespace goban::index_map_test {
namespace {

/// Two grids: the second coarsened along x and z.
struct Family {
  std::shared_ptr<GridState> fine = std::make_shared<GridState>();
  std::shared_ptr<GridState> coarse;

  Family() {
    fine->cells = {16, 6, 8};
    fine->boundary = {periodic, mirror, mirror};
    coarse = member_of(fine, fine->add_coarser({2, 1, 2}, {}).number);
  }
};

TEST(IndexMap, CellsStandForTheFirstOfTheirParts) {
  const Family family;
  const IndexMap down = *index_map(*family.coarse, *family.fine);
  EXPECT_EQ(down(Index3{3, 3, -1}), (Index3{6, 3, -2}));
  EXPECT_EQ(image(down, {{1, 1, 1}, {3, 3, 3}}), (Box{{2, 1, 2}, {5, 3, 5}}));
}

TEST(IndexMap, PartsStandForTheirCell) {
  const Family family;
  const IndexMap up = *index_map(*family.fine, *family.coarse);
  EXPECT_EQ(up(Index3{3, 3, -1}), (Index3{1, 3, -1}));
  EXPECT_EQ(image(up, {{1, 1, 1}, {3, 3, 3}}), (Box{{0, 1, 0}, {2, 3, 2}}));
}

TEST(IndexMap, OnlyNeighboursInAFamilyHaveOne) {
  const Family family, other;
  EXPECT_TRUE(index_map(*family.fine, *family.fine)->is_identity());
  GridState& coarsest = family.coarse->add_coarser({2, 2, 2}, {});
  EXPECT_FALSE(index_map(*family.fine, coarsest));
  EXPECT_FALSE(index_map(coarsest, *family.fine));
  EXPECT_FALSE(index_map(*family.fine, *other.coarse));
  EXPECT_EQ(coarsest.cells, (Index3{4, 3, 2}));
  EXPECT_EQ(family.fine->member(2).finer, family.coarse.get());
}

TEST(Patches, OfSeveralGridsAreNumberedGridAfterGrid) {
  const Family family;
  Decomposition fine = cut_evenly({16, 6, 8}, {2, 1, 2}), coarse = cut_evenly({8, 6, 4}, {2, 1, 1});
  fine.ranks = {2, 1, 1};
  coarse.ranks = {2, 1, 1};
  for (const int rank : {0, 1}) {
    Patches patches(fine, *family.fine, rank);
    patches.add(coarse, *family.coarse);
    EXPECT_EQ(patches.grids(), 2);
    EXPECT_EQ(patches.size(), 3u);
    EXPECT_EQ(patches.of_grid(1).size(), 1u);
    EXPECT_EQ(patches.first(1), 4);
    EXPECT_EQ(patches.grid_of(3), 0);
    EXPECT_EQ(patches.grid_of(4), 1);
    EXPECT_EQ(patches.rank_of(5), 1);
    EXPECT_EQ(patches.geometry(5).owned, (Box{{4, 0, 0}, {8, 6, 4}}));
    EXPECT_EQ(patches.geometry(5).neighbor[0][0], 4);
    EXPECT_EQ(patches.geometry(5).grid, 1);
    EXPECT_EQ(patches.position(4 + rank), 2u);
    EXPECT_EQ(patches.position_on_its_rank(5), 2);
    EXPECT_EQ(patches.position_on_its_rank(3), 1);
    EXPECT_EQ(patches.count_on(rank), 3);
    EXPECT_EQ(patches.counterpart(0, 1), 4);
    EXPECT_TRUE(patches.joined(0)[2]);
    EXPECT_FALSE(patches.joined(1)[2]);
  }
}

}  // namespace
}  // namespace goban::index_map_test
