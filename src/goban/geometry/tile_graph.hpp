#pragma once
// What a partition of a vessel is made of: tiles of cells.

#include "goban/geometry/vessel.hpp"
#include "goban/partition/partition.hpp"

namespace goban {

/// What a step costs a cell, relative to each other (HemeLB's measures).
struct CellCosts {
  int bulk = 4;               ///< all neighbours are fluid
  int wall = 5;               ///< a wall half-way
  int interpolated_wall = 8;  ///< a wall anywhere else
  int opening = 16;
};

/// Tiles of `edge` cells (a power of two) that hold fluid, along Morton's curve; weights are costs
/// of their cells, those of edges links between cells of the two.
struct TileGraph {
  std::vector<Index3> origins;  ///< the lowest cell of each tile
  WeightedGraph graph;
};
TileGraph tile_graph(const Vessel& vessel, Index edge, const CellCosts& costs = {});

}  // namespace goban
