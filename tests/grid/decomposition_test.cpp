#include "goban/grid/decomposition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/base/error.hpp"
#include "goban/grid/grid.hpp"
#include "tests/error_text.hpp"

namespace goban {
namespace {

using test::error_of;
using testing::ElementsAre;

std::vector<PatchGeometry> patches_of(Index3 cells, const BoundarySet& boundary, Index3 pieces) {
  GridState grid;
  grid.cells = cells;
  grid.boundary = boundary;
  return geometry(cut_evenly(cells, pieces), grid);
}

TEST(Decomposition, EvenCutsDifferByAtMostOneCell) {
  const Decomposition d = cut_evenly({13, 8, 1}, {4, 3, 1});
  EXPECT_THAT(d.cuts[0], ElementsAre(0, 3, 6, 9, 13));
  EXPECT_THAT(d.cuts[1], ElementsAre(0, 2, 5, 8));
  EXPECT_THAT(d.cuts[2], ElementsAre(0, 1));
  EXPECT_EQ(d.process_grid(), (Index3{4, 3, 1}));
  EXPECT_EQ(d.patches(), 12);
  EXPECT_EQ(d.smallest(0), 3);
  EXPECT_EQ(d.smallest(1), 2);
}

TEST(Decomposition, PatchNumbersRunAlongXFirst) {
  const Decomposition d = cut_evenly({6, 6, 6}, {3, 2, 2});
  EXPECT_EQ(d.at({2, 0, 0}), 2);
  EXPECT_EQ(d.at({0, 1, 0}), 3);
  EXPECT_EQ(d.at({0, 0, 1}), 6);
  for (int p = 0; p < d.patches(); ++p) EXPECT_EQ(d.at(d.coordinates(p)), p);
}

TEST(Decomposition, EveryCellHasOneOwner) {
  const Decomposition d = cut_explicitly({7, 5, 3}, {"1,4,2", "3,2", ""});
  std::vector<int> owners(7 * 5 * 3, 0);
  for (int p = 0; p < d.patches(); ++p) {
    const Box box = d.owned(p);
    for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
      for (Index y = box.lower[1]; y < box.upper[1]; ++y) {
        for (Index x = box.lower[0]; x < box.upper[0]; ++x) {
          ++owners[static_cast<std::size_t>(x + 7 * (y + 5 * z))];
        }
      }
    }
  }
  EXPECT_THAT(owners, testing::Each(1));
}

TEST(Decomposition, MorePiecesThanCellsAreRefused) {
  EXPECT_EQ(error_of([] {
              cut_evenly({4, 2, 1}, {1, 3, 1});
            }),
            "cannot cut 2 cells into 3 pieces (axis y) choose fewer patches");
  EXPECT_EQ(error_of([] {
              cut_evenly({4, 2, 1}, {0, 1, 1});
            }),
            "cannot cut 4 cells into 0 pieces (axis x) choose fewer patches");
}

TEST(Decomposition, ExplicitCutsMustAddUp) {
  EXPECT_EQ(error_of([] {
              cut_explicitly({8, 8, 8}, {"4,3", "", ""});
            }),
            "cut '4,3' is refused (it holds 7 cells, the grid has 8 along x)");
  EXPECT_EQ(error_of([] {
              cut_explicitly({8, 8, 8}, {"", "", "4,0,4"});
            }),
            "cut '4,0,4' is refused (every extent must be a positive number)");
}

TEST(Decomposition, ExplicitCutsAreNumbersAndNothingElse) {
  for (const char* text : {"4x,4", "4.5,3.5", "4,,4", "four", "-4,12", "4;4", "4,4,"}) {
    EXPECT_NE(error_of([&] { cut_explicitly({8, 8, 8}, {text, "", ""}); }), "") << text;
  }
  EXPECT_THAT(cut_explicitly({8, 8, 8}, {"3, 5", "", ""}).cuts[0], ElementsAre(0, 3, 8));
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

}  // namespace
}  // namespace goban
