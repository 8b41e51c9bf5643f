#include "goban/grid/blocks.hpp"

#include <gtest/gtest.h>

namespace goban::blocks_test {
namespace {

void expect_cover(Index3 extents, Index bytes_per_cell, Index limit) {
  const auto blocks = blocks_of(extents, bytes_per_cell, limit);
  Index cells = 0;
  const Box all{{0, 0, 0}, extents};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_FALSE(blocks[i].empty());
    EXPECT_TRUE(all.contains(blocks[i]));
    EXPECT_LE(blocks[i].volume() * bytes_per_cell, std::max(limit, bytes_per_cell));
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_TRUE(intersection(blocks[i], blocks[j]).empty());
    }
    cells += blocks[i].volume();
  }
  EXPECT_EQ(cells, product(extents));
}

TEST(Blocks, CoverEveryCellOnceWithinTheLimit) {
  for (const Index limit : {1, 8, 60, 1000, 1 << 20}) {
    expect_cover({1, 1, 1}, 4, limit);
    expect_cover({12, 33, 5}, 4, limit);
    expect_cover({7, 1, 9}, 24, limit);
    expect_cover({1, 31, 2}, 1, limit);
  }
}

TEST(Blocks, AreWholePlanesWhereTheyFit) {
  const auto blocks = blocks_of({10, 10, 10}, 4, 1000);
  ASSERT_EQ(blocks.size(), 5u);
  EXPECT_EQ(blocks[1], (Box{{0, 0, 2}, {10, 10, 4}}));
}

}  // namespace
}  // namespace goban::blocks_test
