#include "goban/grid/decomposition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "goban/base/error.hpp"
#include "tests/error_text.hpp"

namespace goban::decomposition_test {
namespace {

using test::error_of;
using testing::ElementsAre;

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
            "cannot cut 2 cells into 3 pieces (axis y); choose fewer patches");
  EXPECT_EQ(error_of([] {
              cut_evenly({4, 2, 1}, {0, 1, 1});
            }),
            "cannot cut 4 cells into 0 pieces (axis x); choose fewer patches");
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

TEST(Decomposition, RanksHaveBlocksOfPatches) {
  Decomposition d = cut_evenly({10, 6, 8}, {5, 1, 4});
  d.ranks = {2, 1, 3};
  std::vector<int> owners(static_cast<std::size_t>(d.patches()), -1);
  for (int rank = 0; rank < 6; ++rank) {
    const Box block = d.block_of(rank);
    Index cells = 0;
    Index3 c;
    for (c[2] = block.lower[2]; c[2] < block.upper[2]; ++c[2]) {
      for (c[1] = block.lower[1]; c[1] < block.upper[1]; ++c[1]) {
        for (c[0] = block.lower[0]; c[0] < block.upper[0]; ++c[0]) {
          const int patch = d.at(c);
          EXPECT_EQ(owners[static_cast<std::size_t>(patch)], -1);
          owners[static_cast<std::size_t>(patch)] = rank;
          EXPECT_EQ(d.rank_of(patch), rank);
          EXPECT_TRUE(d.owned_by(rank).contains(d.owned(patch)));
          cells += d.owned(patch).volume();
        }
      }
    }
    EXPECT_EQ(d.owned_by(rank).volume(), cells);
  }
  EXPECT_THAT(owners, testing::Each(testing::Ge(0)));
  EXPECT_TRUE(d.owned_by(6).empty());
}

}  // namespace
}  // namespace goban::decomposition_test
