#pragma once
// Where fields lie.

#include "arguments.cuh"
#include "memory.cuh"

// Which have packs.
#include "goban/backend/kernels/list_table.hpp"
#include "goban/backend/kernels/site.hpp"

namespace goban::device {

/// Component 0 of a field there.
template <class S>
GOBAN_DEVICE S* cell_of(const FieldView& f, const unsigned char* memory, const Place& at) {
  return const_cast<S*>(reinterpret_cast<const S*>(memory)) + at.fast +
         at.middle * static_cast<Index>(f.middle) + at.slow * f.slow;
}
/// The same where there are fewer than 2^31 elements up to it: half as many instructions.
template <class S>
GOBAN_DEVICE S* near_cell_of(const FieldView& f, const unsigned char* memory, const Place& at) {
  return const_cast<S*>(reinterpret_cast<const S*>(memory)) +
         (at.fast + at.middle * f.middle + at.slow * static_cast<int>(f.slow));
}

/// The number of a cell's neighbour at one of the offsets of a table.
template <int Offset, int Offsets>
GOBAN_DEVICE Pack<int32, 1> neighbor(const int32* table, int cell) {
  const int32* const group = table + cell / list_group * list_stride(Offsets);
  const auto first = load_constant<list_runs>(group + list_runs * Offset);
  const auto masks = load_constant<2>(group + list_runs * Offsets + 2 * Offset);
  const ListEntry entry{{first[0], first[1], first[2], first[3]},
                        {static_cast<uint32>(masks[0]), static_cast<uint32>(masks[1])}};
  Pack<int32, 1> number;
  number.set(0, neighbor_of(entry, table, cell % list_group));
  return number;
}

/// A component of the cell with this number in the row; where it is negative, another one of the
/// cell at hand.
template <class S>
GOBAN_DEVICE Pack<Arithmetic<S>, 1> gather(const S* row, Index component, Index at_wall, int cell,
                                           const Pack<int32, 1>& number) {
  const int32 there = number[0];
  return load_constant<1>(there < 0 ? row + at_wall + cell : row + component + there);
}

}  // namespace goban::device
