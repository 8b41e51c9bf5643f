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

/// The table, when all entries of a cell's group are in the first-level cache: its lanes load a
/// part of them each. What reads them afterwards would wait for memory one by one.
template <int Offsets>
GOBAN_DEVICE const int32* with_entries_at_hand(const int32* table, int cell) {
  constexpr int sector = 8, together = list_group * sector;  // numbers that memory gives at once
  constexpr auto stride = static_cast<int>(list_stride(Offsets));
  constexpr int32 in_no_entry = 0x7fffffff;  // a cell is in one run at most
  const int32* const group = table + cell / list_group * list_stride(Offsets);
  unroll<(stride + together - 1) / together>([&](auto part) {
    const int n = cell % list_group * sector + decltype(part)::value * together;
    const int32 some = load_constant<1>(group + (n < stride ? n : 0))[0];
    table += some == in_no_entry ? 1 : 0;  // it waits
  });
  return table;
}

/// The number of a cell's neighbour at one of the offsets of a table.
template <int Offset, int Offsets>
GOBAN_DEVICE Pack<int32, 1> neighbor(const int32* table, int cell) {
  const int32* const group = table + cell / list_group * list_stride(Offsets);
  const auto first = load_constant<list_runs>(group + list_runs * Offset);
  const auto masks = load_constant<2>(group + list_runs * Offsets + 2 * Offset);
  const ListEntry entry{{first[0], first[1], first[2], first[3]},
                        {static_cast<uint32>(masks[0]), static_cast<uint32>(masks[1])}};
  // Without a branch: those of all offsets are under way together.
  const int32* const in_row = neighbor_in_row(entry, table, cell % list_group);
  int32 there = neighbor_in_runs(entry, cell % list_group);
  asm("{\n.reg .pred is_row;\nsetp.eq.u32 is_row, %1, 0xffffffff;\n"
      "@is_row ld.global.nc.s32 %0, [%2];\n}"
      : "+r"(there)
      : "r"(entry.masks[0]), "l"(in_row));
  Pack<int32, 1> number;
  number.set(0, there);
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
