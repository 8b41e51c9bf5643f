#pragma once
// The corners of active cells, each once: points of an unstructured mesh.

#include <array>
#include <functional>
#include <vector>

#include "goban/grid/active_cells.hpp"

namespace goban {

/// Corners are numbered cell after cell; one of several cells belongs to the first of them. Corner
/// k of a cell lies k & 1 along x, k >> 1 & 1 along y, k >> 2 along z from its lower one. Takes 9
/// bytes a cell.
class CellCorners {
 public:
  explicit CellCorners(const ActiveCells& list);

  Index size() const { return first_.back(); }
  /// Their indices, of the cells' lower corners, in the order of their numbers.
  void each_corner(const std::function<void(Index3 corner)>& visit) const;
  /// The numbers of the corners of every cell, in the order of cells.
  void each_cell(const std::function<void(const std::array<Index, 8>& corners)>& visit) const;

 private:
  const ActiveCells& list_;
  std::vector<Index> first_;         ///< per cell: number of its first own corner
  std::vector<std::uint8_t> owned_;  ///< per cell: a bit for each corner that is its own
};

}  // namespace goban
