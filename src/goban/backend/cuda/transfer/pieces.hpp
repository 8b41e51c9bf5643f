#pragma once
// Converts copies to the form in which kernels get them.

#include <algorithm>
#include <cstdint>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/kernels/pieces.cuh"
#include "goban/backend/cuda/transfer/cell_lists.hpp"

namespace goban::cuda {

using device::Piece;

inline Piece piece_of(const CopyTask& task) {
  const auto size = static_cast<Index>(size_of(task.type));
  const auto [fast, middle, slow] = task.order;
  auto start = [&](const FieldBinding& b, const Index3& lower) {
    return (lower[0] * b.stride[0] + lower[1] * b.stride[1] + lower[2] * b.stride[2]) * size;
  };
  Piece p{};
  p.from = reinterpret_cast<const unsigned char*>(task.source.read) +
           start(task.source, task.source_box.lower);
  p.to = reinterpret_cast<unsigned char*>(task.target.write) +
         start(task.target, task.target_box.lower);
  p.from_middle = task.source.stride[middle] * size;
  p.from_slow = task.source.stride[slow] * size;
  p.to_middle = task.target.stride[middle] * size;
  p.to_slow = task.target.stride[slow] * size;
  if (task.cells) {
    const ListOnDevice cells = on_device(task.cells);
    p.from_cells = cells.source;
    p.to_cells = cells.target;
    p.from_middle = p.to_middle = size;
    p.units = static_cast<int>(size);
    p.rows = static_cast<int>(task.target_box.extent(fast));
    p.planes = 1;
    return p;
  }
  p.units = static_cast<int>(task.target_box.extent(fast) * size);
  p.rows = static_cast<int>(task.target_box.extent(middle));
  p.planes = static_cast<int>(task.target_box.extent(slow));
  return p;
}

/// Returns the largest power of two up to 16 that divides all addresses, strides and lengths of the
/// piece, in bytes.
inline int grain(const Piece& p) {
  const auto all =
      reinterpret_cast<std::uintptr_t>(p.from) | reinterpret_cast<std::uintptr_t>(p.to) |
      static_cast<std::uintptr_t>(p.from_middle | p.from_slow | p.to_middle | p.to_slow | p.units) |
      16u;
  return static_cast<int>(all & (~all + 1));
}

/// Converts the lengths of a launch's pieces to units of the largest size that suits all, and
/// returns that size in bytes.
inline int count_units(Piece* pieces, int count) {
  int unit = 16;
  for (int i = 0; i < count; ++i) unit = std::min(unit, grain(pieces[i]));
  for (int i = 0; i < count; ++i) pieces[i].units /= unit;
  return unit;
}

inline Index units_of(const Piece& p) { return Index{p.units} * p.rows * p.planes; }

}  // namespace goban::cuda
