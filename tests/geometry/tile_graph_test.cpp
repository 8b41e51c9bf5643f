#include "goban/geometry/tile_graph.hpp"

#include <gtest/gtest.h>

#include "goban/geometry/center_lines.hpp"

namespace goban::tile_graph_test {
namespace {

Vessel tree(int generations, double radius, const CellPlace& place) {
  VesselTree tree;
  tree.root = {8, 80, 80};
  tree.radius = radius;
  tree.length_ratio = 6;
  tree.generations = generations;
  const CenterLines lines = grow(tree);
  return make_vessel(cells_of(lines.segments, place), *wall_of(lines.segments, place), place,
                     lines.openings);
}
const CellPlace box{{0, 0, 0}, 1, {200, 160, 160}};

TEST(TileGraph, CountsCostsAndLinks) {
  ActiveCells cells(
      {16, 8, 8});  // two cells beside the face between two tiles, in a block of 4 x 3 x 3
  for (Index k = 1; k < 4; ++k) {
    for (Index j = 1; j < 4; ++j) {
      for (Index i = 6; i < 10; ++i) cells.add({i, j, k});
    }
  }
  cells.sort();
  const Vessel vessel = make_vessel(cells, HalfwayWall{}, {{0, 0, 0}, 1, {16, 8, 8}}, {});
  const TileGraph tiles = tile_graph(vessel, 8);
  ASSERT_EQ(tiles.graph.vertices(), 2);
  // Inner cells: 2 of 36, those of the middle row but its ends.
  EXPECT_EQ(tiles.graph.weights, (std::vector<std::int64_t>{17 * 5 + 4, 17 * 5 + 4}));
  // Of nine cells, a link each straight across; to the four sides 6, 6, 6, 6 of them.
  EXPECT_EQ(tiles.graph.edge_weights, (std::vector<std::int32_t>{9 + 24, 9 + 24}));
}

TEST(TileGraph, OfAVesselTree_IsFloodedEvenly) {
  const Vessel vessel = tree(3, 12, box);
  for (const Index edge : {4, 8}) {
    const TileGraph tiles = tile_graph(vessel, edge);
    for (const int parts : {2, 3, 4, 7, 8, 16}) {
      if (tiles.graph.vertices() < 60 * parts) continue;
      const Partition flooded = flood(tiles.graph, parts), curve = cut_curve(tiles.graph, parts);
      EXPECT_LE(flooded.imbalance(), 0.03) << edge << " " << parts;
      EXPECT_TRUE(flooded.is_connected) << edge << " " << parts;
      if (parts > 2) {
        EXPECT_LT(flooded.cut, curve.cut) << edge << " " << parts;
      }
    }
  }
}

}  // namespace
}  // namespace goban::tile_graph_test
