#include "goban/grid/patches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/grid/grid.hpp"

namespace goban::patches_test {
namespace {

using testing::ElementsAre;

Patches patches_of(Index3 cells, const BoundarySet& boundary, Index3 pieces,
                   Index3 ranks = {1, 1, 1}, int rank = 0) {
  GridState grid;
  grid.cells = cells;
  grid.boundary = boundary;
  Decomposition decomposition = cut_evenly(cells, pieces);
  decomposition.ranks = ranks;
  return Patches(decomposition, grid, rank);
}

TEST(PatchGeometry, NeighborsWrapAroundPeriodicAxesOnly) {
  const auto patches = patches_of({6, 6, 6}, {periodic, mirror, periodic}, {3, 2, 1});
  const PatchGeometry& first = patches[0];
  EXPECT_THAT(first.neighbor[0], ElementsAre(2, 1));
  EXPECT_THAT(first.neighbor[1], ElementsAre(-1, 3));
  EXPECT_THAT(first.neighbor[2], ElementsAre(0, 0));
  EXPECT_FALSE(first.is_interior(1, Side::low));
  EXPECT_TRUE(first.is_interior(1, Side::high));
  EXPECT_EQ(first.interior(Extents{{1, 2, 3}, {4, 5, 6}}), (Extents{{1, 0, 3}, {4, 5, 6}}));
}

TEST(PatchGeometry, TheLastPatchOwnsTheLastWallFace) {
  const auto patches = patches_of({6, 6, 6}, {mirror, periodic, mirror}, {2, 2, 1});
  EXPECT_EQ(patches[0].owned_local(Location::face_x), (Box{{0, 0, 0}, {3, 3, 6}}));
  EXPECT_EQ(patches[1].owned_local(Location::face_x), (Box{{0, 0, 0}, {4, 3, 6}}));
  EXPECT_EQ(patches[1].owned_local(Location::face_y), (Box{{0, 0, 0}, {3, 3, 6}}));
  EXPECT_EQ(patches[1].owned_local(Location::node), (Box{{0, 0, 0}, {4, 3, 7}}));
  EXPECT_EQ(patches[1].owned_local(Location::edge_x), (Box{{0, 0, 0}, {3, 3, 7}}));
  EXPECT_EQ(patches[1].owned_local(Location::cell), (Box{{0, 0, 0}, {3, 3, 6}}));
}

TEST(Patches, ARankHasItsOwnAndKnowsTheOthers) {
  const BoundarySet boundary{periodic, mirror, mirror};
  const auto all = patches_of({12, 6, 8}, boundary, {4, 1, 2});
  EXPECT_EQ(all.size(), 8u);
  std::size_t found = 0;
  for (int rank = 0; rank < 5; ++rank) {
    const auto mine = patches_of({12, 6, 8}, boundary, {4, 1, 2}, {2, 1, 2}, rank);
    for (const auto& patch : mine) {
      ++found;
      EXPECT_TRUE(mine.is_local(patch.patch));
      EXPECT_EQ(mine[patch.patch].owned, all[patch.patch].owned);
      EXPECT_EQ(mine[patch.patch].neighbor, all[patch.patch].neighbor);
    }
    for (int patch = 0; patch < 8; ++patch) {
      EXPECT_EQ(mine.geometry(patch).owned, all[patch].owned);
      EXPECT_EQ(mine.geometry(patch).extra, all[patch].extra);
    }
    EXPECT_EQ(mine.joined(0), all.joined(0));
    if (rank == 4) {
      EXPECT_EQ(mine.size(), 0u);
    }
  }
  EXPECT_EQ(found, 8u);
}

}  // namespace
}  // namespace goban::patches_test
