#pragma once
// What a hand-written kernel is told of its arrays, and how two or more threads
// share them.

#include "goban/base/types.hpp"

namespace goban::twins {

/// An array of cells with x fastest. Pointers go to cell (0, 0, 0), which lies,
/// like `pitch`, on a multiple of 64 bytes; so does cells[0]. Ghost cells of
/// the stencil's reach surround the cells and hold valid values; 64 bytes on
/// either side of a row are readable (they may belong to its neighbours).
struct TwinGrid {
  Index3 cells;
  Index pitch;  ///< elements from a row to the next
  Index plane;  ///< elements from a plane to the next
};

/// Rows [y0, y1) of planes [z0, z1).
struct Rows {
  Index y0, y1, z0, z1;
};

constexpr Rows split_planes(const TwinGrid& grid, int thread, int threads) {
  const Index z = grid.cells[2];
  return {0, grid.cells[1], z * thread / threads, z * (thread + 1) / threads};
}
constexpr Rows split_rows(const TwinGrid& grid, int thread, int threads) {
  const Index y = grid.cells[1];
  return {y * thread / threads, y * (thread + 1) / threads, 0, grid.cells[2]};
}

}  // namespace goban::twins
