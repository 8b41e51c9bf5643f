#pragma once
// Allocates the scratch memory of a tile of columns, and cuts columns into tiles.

#include <functional>

#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// The scratch memory of one tile. A thread may have only one at a time. Rows start on multiples of
/// 64 bytes; the levels beyond both ends hold zeros.
class ColumnScratch {
 public:
  /// `order`: the memory order of the axes. Each cell of a level has `components` numbers of
  /// `element` bytes.
  ColumnScratch(const Box& tile, int column_axis, const std::array<int, 3>& order, int components,
                int element);

  /// Returns the binding for a walk through the levels in which the level visited before is `step`
  /// (-1 or 1) away.
  ScratchBinding coming_from(Index step) const;

 private:
  ScratchBinding binding_;
  Index level_stride_ = 0;
};

/// Visits the call's box in tiles of whole columns whose scratch, `bytes` bytes per cell of a
/// level, stays in the second-level cache.
void for_each_tile(const SweepCall& call, const std::array<int, 3>& order, int bytes,
                   const std::function<void(const Box& tile)>& visit);

/// Returns the part of `box` that a thread computes, in whole columns.
Box columns_of_thread(const Box& box, const std::array<int, 3>& order, int column_axis, int threads,
                      int thread);

}  // namespace goban::cpu
