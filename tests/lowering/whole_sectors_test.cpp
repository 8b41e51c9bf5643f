#include "goban/lowering/whole_sectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace goban::whole_sectors_test {
namespace {

struct Ends {
  Box source, target;
};

/// A row of `cells` whose ends lie beyond the other end, `low` and `high` cells of them.
struct Row {
  Row(Index cells, Index low, Index high, Index line) {
    layout = make_layout(FieldRecord{}, {cells, 5, 4}, {{low, 1, 1}, {high, 1, 1}}, line);
    below.source = {{cells - low, 0, 0}, {cells, 5, 4}};
    below.target = {{-low, 0, 0}, {0, 5, 4}};
    above.source = {{0, 0, 0}, {high, 5, 4}};
    above.target = {{cells, 0, 0}, {cells + high, 5, 4}};
    copy_whole_sectors(below.source, below.target, layout);
    copy_whole_sectors(above.source, above.target, layout);
  }
  FieldLayout layout;
  Ends below, above;
};

TEST(WholeSectors, GhostsAtTheEndsOfRowsFillThem) {
  const Row row(64, 2, 1, 128);
  EXPECT_EQ(row.below.target, (Box{{-8, 0, 0}, {0, 5, 4}}));
  EXPECT_EQ(row.below.source, (Box{{56, 0, 0}, {64, 5, 4}}));
  EXPECT_EQ(row.above.target, (Box{{64, 0, 0}, {72, 5, 4}}));
  EXPECT_EQ(row.above.source, (Box{{0, 0, 0}, {8, 5, 4}}));
}

TEST(WholeSectors, CellsAreLeftAlone) {
  // The last sector of a row holds cells: what lies above it is copied as asked for.
  const Row odd(61, 2, 1, 128);
  EXPECT_EQ(odd.below.target.lower[0], -8);
  EXPECT_EQ(odd.above.target, (Box{{61, 0, 0}, {62, 5, 4}}));
  for (Index cells = 1; cells < 200; ++cells) {
    for (const Index line : {64, 128}) {
      const Row row(cells, std::min<Index>(cells, 2), 1, line);
      const Index next_row = row.layout.stride[1] + row.below.target.lower[0];
      EXPECT_LE(row.above.target.upper[0], next_row) << cells << " cells, lines of " << line;
      EXPECT_EQ(row.above.target.lower[0], cells);
      EXPECT_EQ(row.below.target.upper[0], 0);
      EXPECT_GE(row.below.source.lower[0], 0);
      EXPECT_LE(row.above.source.upper[0], cells);
    }
  }
}

TEST(WholeSectors, GhostsOfNeighboringRowsAreLeftAlone) {
  for (Index low = 1; low <= 12; ++low) {
    for (Index high = 1; high <= 12; ++high) {
      for (Index cells = 12; cells < 60; ++cells) {
        const Row row(cells, low, high, 64);
        const Index next_row = row.layout.stride[1] + row.below.target.lower[0];
        EXPECT_LE(cells + high, next_row) << cells << " cells, " << low << " and " << high;
        const Index ghosts_of_next = row.layout.stride[1] - low;
        EXPECT_LE(row.above.target.upper[0], ghosts_of_next) << cells << ' ' << low << ' ' << high;
      }
    }
  }
}

TEST(WholeSectors, OtherCopiesStayAsTheyAre) {
  Row row(64, 2, 2, 128);
  Ends planes;
  planes.source = {{0, 0, 3}, {64, 5, 4}};
  planes.target = {{0, 0, -1}, {64, 5, 0}};
  const Ends before = planes;
  copy_whole_sectors(planes.source, planes.target, row.layout);
  EXPECT_EQ(planes.target, before.target);
  EXPECT_EQ(planes.source, before.source);
}

}  // namespace
}  // namespace goban::whole_sectors_test
