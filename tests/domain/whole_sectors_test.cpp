#include "goban/domain/whole_sectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "goban/goban.hpp"

namespace goban {
namespace {

/// A row of `cells` whose ends lie beyond the other end, `low` and `high` cells of them.
struct Row {
  Row(Index cells, Index low, Index high, Index line) {
    Runtime runtime;
    Grid grid(runtime, {.cells = {cells, 5, 4}, .boundary = periodic});
    const Field<float> u(grid, "u");
    layout = make_layout(*u.record(), {cells, 5, 4}, {{low, 1, 1}, {high, 1, 1}}, line);
    below.source_box = {{cells - low, 0, 0}, {cells, 5, 4}};
    below.target_box = {{-low, 0, 0}, {0, 5, 4}};
    above.source_box = {{0, 0, 0}, {high, 5, 4}};
    above.target_box = {{cells, 0, 0}, {cells + high, 5, 4}};
    copy_whole_sectors(below, layout);
    copy_whole_sectors(above, layout);
  }
  FieldLayout layout;
  CopyTask below, above;
};

TEST(WholeSectors, GhostsAtTheEndsOfRowsFillThem) {
  const Row row(64, 2, 1, 128);
  EXPECT_EQ(row.below.target_box, (Box{{-8, 0, 0}, {0, 5, 4}}));
  EXPECT_EQ(row.below.source_box, (Box{{56, 0, 0}, {64, 5, 4}}));
  EXPECT_EQ(row.above.target_box, (Box{{64, 0, 0}, {72, 5, 4}}));
  EXPECT_EQ(row.above.source_box, (Box{{0, 0, 0}, {8, 5, 4}}));
}

TEST(WholeSectors, CellsAreLeftAlone) {
  // The last sector of a row holds cells: what lies above it is copied as asked for.
  const Row odd(61, 2, 1, 128);
  EXPECT_EQ(odd.below.target_box.lower[0], -8);
  EXPECT_EQ(odd.above.target_box, (Box{{61, 0, 0}, {62, 5, 4}}));
  for (Index cells = 1; cells < 200; ++cells) {
    for (const Index line : {64, 128}) {
      const Row row(cells, std::min<Index>(cells, 2), 1, line);
      const Index next_row = row.layout.stride[1] + row.below.target_box.lower[0];
      EXPECT_LE(row.above.target_box.upper[0], next_row) << cells << " cells, lines of " << line;
      EXPECT_EQ(row.above.target_box.lower[0], cells);
      EXPECT_EQ(row.below.target_box.upper[0], 0);
      EXPECT_GE(row.below.source_box.lower[0], 0);
      EXPECT_LE(row.above.source_box.upper[0], cells);
    }
  }
}

TEST(WholeSectors, OtherCopiesStayAsTheyAre) {
  Row row(64, 2, 2, 128);
  CopyTask planes;
  planes.source_box = {{0, 0, 3}, {64, 5, 4}};
  planes.target_box = {{0, 0, -1}, {64, 5, 0}};
  const CopyTask before = planes;
  copy_whole_sectors(planes, row.layout);
  EXPECT_EQ(planes.target_box, before.target_box);
  EXPECT_EQ(planes.source_box, before.source_box);
}

}  // namespace
}  // namespace goban
