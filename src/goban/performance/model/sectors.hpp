#pragma once
// What GPUs move of rows: whole sectors of memory.

#include "goban/program/cycle.hpp"

namespace goban {

/// Part of a row that is read or written.
struct RowPart {
  double bytes = 0;    ///< bytes of all sectors that it touches
  double partial = 0;  ///< bytes of the sectors that it does not fill
};
RowPart row_part(Index begin, Index end, double value_bytes);

/// The memory order of what an instance writes.
const std::array<int, 3>& order_of(const Instance& instance, const Slots& slots);

/// Bytes that memory moves for an update of a cell of this box (in local indices): cells around
/// the box are read, too, and sectors as a whole, also those of which a part is written.
double traffic(const Instance& instance, const Slots& slots, const Box& box);

}  // namespace goban
