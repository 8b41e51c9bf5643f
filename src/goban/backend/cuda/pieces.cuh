#pragma once
// Rectangular pieces of memory as kernels see them.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cuda {

/// Strides in bytes, extents in units along the rows.
struct Piece {
  const std::byte* from;
  std::byte* to;
  Index from_middle, from_slow, to_middle, to_slow;
  int units, rows, planes;
};

inline Piece piece_of(const CopyTask& task) {
  const auto size = static_cast<Index>(size_of(task.type));
  const auto [fast, middle, slow] = task.order;
  auto start = [&](const FieldBinding& b, const Index3& lower) {
    return (lower[0] * b.stride[0] + lower[1] * b.stride[1] + lower[2] * b.stride[2]) * size;
  };
  Piece p;
  p.from = task.source.read + start(task.source, task.source_box.lower);
  p.to = task.target.write + start(task.target, task.target_box.lower);
  p.from_middle = task.source.stride[middle] * size;
  p.from_slow = task.source.stride[slow] * size;
  p.to_middle = task.target.stride[middle] * size;
  p.to_slow = task.target.stride[slow] * size;
  p.units = static_cast<int>(task.target_box.extent(fast) * size);
  p.rows = static_cast<int>(task.target_box.extent(middle));
  p.planes = static_cast<int>(task.target_box.extent(slow));
  return p;
}

/// Bytes that everything about the piece is a multiple of, at most 16.
inline int grain(const Piece& p) {
  const auto all =
      reinterpret_cast<std::uintptr_t>(p.from) | reinterpret_cast<std::uintptr_t>(p.to) |
      static_cast<std::uintptr_t>(p.from_middle | p.from_slow | p.to_middle | p.to_slow | p.units) |
      16u;
  return static_cast<int>(all & (~all + 1));
}

/// A launch's pieces, counted in units of the largest size that fits all, which is returned.
inline int count_units(Piece* pieces, int count) {
  int unit = 16;
  for (int i = 0; i < count; ++i) unit = std::min(unit, grain(pieces[i]));
  for (int i = 0; i < count; ++i) pieces[i].units /= unit;
  return unit;
}

inline Index units_of(const Piece& p) { return Index{p.units} * p.rows * p.planes; }

/// By all threads of `blocks` blocks, of which this is `block`.
template <class Unit>
__device__ __forceinline__ void copy_piece(const Piece& p, unsigned int block,
                                           unsigned int blocks) {
  const unsigned int rows = static_cast<unsigned int>(p.rows);
  const unsigned int units = static_cast<unsigned int>(p.units);
  const unsigned int total = units * rows * static_cast<unsigned int>(p.planes);
  for (unsigned int i = block * blockDim.x + threadIdx.x; i < total; i += blocks * blockDim.x) {
    const unsigned int row = i / units, unit = i - row * units;
    const unsigned int plane = row / rows, middle = row - plane * rows;
    const auto* from = p.from + middle * p.from_middle + plane * p.from_slow;
    auto* to = p.to + middle * p.to_middle + plane * p.to_slow;
    reinterpret_cast<Unit*>(to)[unit] = reinterpret_cast<const Unit*>(from)[unit];
  }
}

/// Calls launch.operator()<Unit>() with the type of that many bytes.
template <class Launch>
void with_unit(int unit, Launch&& launch) {
  switch (unit) {
    case 1: return launch.template operator()<std::uint8_t>();
    case 2: return launch.template operator()<std::uint16_t>();
    case 4: return launch.template operator()<std::uint32_t>();
    case 8: return launch.template operator()<uint2>();
    default: return launch.template operator()<uint4>();
  }
}

}  // namespace goban::cuda
