#pragma once
// How a table says where the neighbours of the cells of a list lie. Text of kernels for all
// targets: the host makes tables by it, and reads them, too.
//
// Sixteen cells in a row are a group. Their neighbours at one offset are parts of a few runs of
// cells that follow each other. An entry tells for each run where the neighbour of the first cell
// would lie, and by bits which cells have their neighbour in it: 24 bytes in place of 64. It can
// also tell that cells have no neighbour in the box. Where there are more runs, or some lie beyond
// faces, the entry names a row of sixteen numbers instead. A table holds the entries of group after
// group, then these rows.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

inline constexpr int list_group = 16, list_runs = 4;

struct ListEntry {
  /// For each run, the number of the neighbour of the group's first cell. If the entry names a row,
  /// the first number is that of the row, counted in rows from the start of the table.
  int32 first[list_runs];
  /// Bit n of the first mask: the neighbour of cell n is in run 1; bit n + 16: in run 2. Bit n of
  /// the second: in run 3; bit n + 16: cell n has no neighbour. Otherwise it is in run 0. All ones:
  /// the entry names a row.
  uint32 masks[2];
};
inline constexpr uint32 names_row = 0xffffffffu;

/// From the entries of a group to those of the next, in numbers of four bytes; `first` of all
/// offsets, on 16 bytes, then `masks` of all.
GOBAN_DEVICE constexpr Index list_stride(int offsets) { return (6 * offsets + 3) / 4 * 4; }

/// The number of the neighbour of a cell of the group, of an entry that tells of runs; negative:
/// see list_wall().
GOBAN_DEVICE int32 neighbor_in_runs(const ListEntry& entry, int cell) {
  const uint32 low = entry.masks[0] >> cell, high = entry.masks[1] >> cell;
  int32 first = entry.first[0];
  first = (high & 1u) != 0 ? entry.first[3] : first;
  first = (low & 0x10000u) != 0 ? entry.first[2] : first;
  first = (low & 1u) != 0 ? entry.first[1] : first;
  return (high & 0x10000u) != 0 ? -1 : first + cell;
}
/// Where the row that an entry names has it.
GOBAN_DEVICE const int32* neighbor_in_row(const ListEntry& entry, const int32* table, int cell) {
  return table + (entry.first[0] * static_cast<Index>(list_group) + cell);
}
GOBAN_DEVICE int32 neighbor_of(const ListEntry& entry, const int32* table, int cell) {
  return entry.masks[0] == names_row ? *neighbor_in_row(entry, table, cell)
                                     : neighbor_in_runs(entry, cell);
}

}  // namespace goban::device
