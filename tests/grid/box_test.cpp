#include "goban/grid/box.hpp"

#include <gtest/gtest.h>

#include <random>

namespace goban::box_test {
namespace {

template <class Visit>
void each_cell(const Box& box, Visit&& visit) {
  for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
    for (Index y = box.lower[1]; y < box.upper[1]; ++y) {
      for (Index x = box.lower[0]; x < box.upper[0]; ++x) visit(Index3{x, y, z});
    }
  }
}

Box random_box(std::mt19937& random) {
  std::uniform_int_distribution<Index> number(-2, 4);
  Box box;
  for (int a = 0; a < 3; ++a) {
    box.lower[a] = number(random);
    box.upper[a] = number(random);
  }
  return box;
}

TEST(Box, VolumeOfAnEmptyBoxIsZeroWhateverItsCorners) {
  EXPECT_EQ((Box{{0, 0, 0}, {2, 3, 4}}).volume(), 24);
  EXPECT_EQ((Box{{1, 1, 1}, {1, 5, 5}}).volume(), 0);
  EXPECT_EQ((Box{{3, 3, 0}, {1, 1, 5}}).volume(), 0);
  EXPECT_TRUE(Box{}.empty());
}

TEST(Box, EveryBoxContainsTheEmptyOnes) {
  const Box box{{0, 0, 0}, {2, 2, 2}};
  EXPECT_TRUE(box.contains(Box{{9, 9, 9}, {9, 9, 9}}));
  EXPECT_TRUE(box.contains(box));
  EXPECT_FALSE(box.contains(Box{{0, 0, 0}, {2, 2, 3}}));
  EXPECT_TRUE(box.contains(Index3{1, 1, 1}));
  EXPECT_FALSE(box.contains(Index3{1, 1, 2}));
}

TEST(Box, IntersectionHoldsExactlyTheCellsOfBoth) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const Box a = random_box(random), b = random_box(random);
    const Box both = intersection(a, b);
    Index cells = 0;
    each_cell(Box{{-2, -2, -2}, {4, 4, 4}}, [&](Index3 cell) {
      const bool expected = a.contains(cell) && b.contains(cell);
      cells += expected;
      EXPECT_EQ(both.contains(cell), expected) << to_string(a) << " " << to_string(b);
    });
    EXPECT_EQ(both.volume(), cells);
  }
}

TEST(Box, HullIsTheSmallestBoxAroundBoth) {
  const Box a{{0, 0, 0}, {1, 1, 1}}, b{{2, -1, 0}, {3, 1, 4}};
  EXPECT_EQ(hull(a, b), (Box{{0, -1, 0}, {3, 1, 4}}));
  EXPECT_EQ(hull(a, Box{{5, 5, 5}, {5, 9, 9}}), a);
  EXPECT_EQ(hull(Box{}, b), b);
}

TEST(Box, DifferenceCoversEachCellOfTheOuterBoxOutsideTheInnerOnce) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Box outer = random_box(random), inner = random_box(random);
    const auto pieces = difference(outer, inner);
    EXPECT_LE(pieces.size(), 6u);
    for (const Box& piece : pieces) EXPECT_FALSE(piece.empty());
    each_cell(Box{{-2, -2, -2}, {4, 4, 4}}, [&](Index3 cell) {
      int count = 0;
      for (const Box& piece : pieces) count += piece.contains(cell);
      EXPECT_EQ(count, outer.contains(cell) && !inner.contains(cell) ? 1 : 0)
          << to_string(outer) << " without " << to_string(inner);
    });
  }
}

TEST(Box, ExtensionAddsLayersPerSide) {
  const Extents by{{1, 0, 2}, {0, 3, 0}};
  EXPECT_EQ(extended(Box{{0, 0, 0}, {4, 4, 4}}, by), (Box{{-1, 0, -2}, {4, 7, 4}}));
  EXPECT_EQ(by.on(0, Side::low), 1);
  EXPECT_EQ(by.on(1, Side::high), 3);
  EXPECT_EQ((by + by), (Extents{{2, 0, 4}, {0, 6, 0}}));
  EXPECT_EQ(hull(by, Extents{{0, 5, 0}, {0, 0, 0}}), (Extents{{1, 5, 2}, {0, 3, 0}}));
  EXPECT_TRUE(by.covers(Extents{{1, 0, 0}, {0, 3, 0}}));
  EXPECT_FALSE(by.covers(Extents{{2, 0, 0}, {0, 0, 0}}));
  EXPECT_TRUE(Extents{}.none());
  EXPECT_FALSE(by.none());
}

TEST(Box, ShiftMovesBothCorners) {
  EXPECT_EQ(shifted(Box{{0, 1, 2}, {3, 4, 5}}, {10, -10, 0}), (Box{{10, -9, 2}, {13, -6, 5}}));
}

TEST(Box, TextNamesTheRangeOfEachAxis) {
  EXPECT_EQ(to_string(Box{{0, -1, 2}, {3, 4, 5}}), "[0:3 x -1:4 x 2:5]");
}

}  // namespace
}  // namespace goban::box_test
