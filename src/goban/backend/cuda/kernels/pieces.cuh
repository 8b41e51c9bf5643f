#pragma once
// Rectangular pieces of memory, and cells of lists. The text of a kernel says before it what `Unit`
// they are counted in.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

/// Strides in bytes, extents in units along the rows. A row of a list is one cell, whose number
/// stands in `from_cells`, `to_cells`; null: cells lie one after the other.
struct Piece {
  const unsigned char* from;
  unsigned char* to;
  const int* from_cells;
  const int* to_cells;
  Index from_middle, from_slow, to_middle, to_slow;
  int units, rows, planes;
  int padding;
};

#if GOBAN_KERNEL

/// Copies a piece by all threads of `blocks` blocks, of which this is `block`.
GOBAN_DEVICE void copy_piece(const Piece& p, unsigned int block, unsigned int blocks) {
  const unsigned int rows = static_cast<unsigned int>(p.rows);
  const unsigned int units = static_cast<unsigned int>(p.units);
  const unsigned int total = units * rows * static_cast<unsigned int>(p.planes);
  for (unsigned int i = block * blockDim.x + threadIdx.x; i < total; i += blocks * blockDim.x) {
    const unsigned int row = i / units, unit = i - row * units;
    const unsigned int plane = row / rows, middle = row - plane * rows;
    const Index source = p.from_cells ? p.from_cells[middle] : static_cast<int>(middle);
    const Index target = p.to_cells ? p.to_cells[middle] : static_cast<int>(middle);
    const auto* from = p.from + source * p.from_middle + plane * p.from_slow;
    auto* to = p.to + target * p.to_middle + plane * p.to_slow;
    reinterpret_cast<Unit*>(to)[unit] = reinterpret_cast<const Unit*>(from)[unit];
  }
}

#endif

}  // namespace goban::device
