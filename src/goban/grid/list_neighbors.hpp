#pragma once
// What lies beside the active cells of a tile.

#include <array>

#include "goban/grid/grid.hpp"

namespace goban {

/// A cell so many cells away from an active one.
struct ListNeighbor {
  Index number = -1;  ///< in the list; -1: it is not active
  /// 0: it lies in the box; else 1 + 2 axis + side of the face it lies beyond; if there are several
  /// faces, that of the last axis.
  int face = 0;
};

/// Finds what lies beside the cells of one tile; boxes that are periodic go on at their other ends.
class ListNeighbors {
 public:
  ListNeighbors(const GridState& grid, const ActiveCells::Tile& tile);
  /// `cell`: in the box.
  ListNeighbor at(Index3 cell, const std::array<int, 3>& offset);
  /// All active cells of this tile and those around it have numbers from `begin` to `end`.
  bool are_all_within(Index begin, Index end);

 private:
  ListNeighbor anywhere(Index3 cell) const;
  const ActiveCells::Tile* beside(int x, int y, int z);

  const GridState& grid_;
  const ActiveCells& list_;
  const ActiveCells::Tile& tile_;
  bool is_at_end_ = false;  ///< some neighbours lie beyond faces of the box
  std::array<const ActiveCells::Tile*, 27> tiles_{};
  std::array<bool, 27> is_known_{};
};

}  // namespace goban
