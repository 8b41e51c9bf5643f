#pragma once
// Hand-written twins: the fastest code we know for a kernel, on raw pointers, to measure goban
// against. Each has the bits of the formula at its head.
//
// A twin is a function that every thread of a team calls with its number; it returns when that
// thread's part is done, visible to others after the team's barrier. It may be called on the
// framework's own arrays. Two arrays that are read and written together should begin 2048 bytes
// apart modulo 4096.
//
// Here: what a twin is told of its arrays, and how threads share them.

#include "goban/base/types.hpp"

namespace goban::twins {

/// An array of cells with x fastest. Pointers go to cell (0, 0, 0), which lies, like `pitch`, on a
/// multiple of 64 bytes; so does cells[0]. Ghost cells of the stencil's reach surround the cells
/// and hold valid values; 64 bytes on either side of a row are readable (they may belong to its
/// neighbours).
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
