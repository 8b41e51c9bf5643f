#pragma once
// Memory for the scratch of a tile of columns, and how columns are cut into tiles.

#include <functional>

#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// Scratch of a tile, of the calling thread, which has one at a time. Rows start on 64 bytes; the
/// levels beyond both ends hold zeros.
class ColumnScratch {
 public:
  /// `order`: memory order of the axes; `components` numbers of `element` bytes a level.
  ColumnScratch(const Box& tile, int column_axis, const std::array<int, 3>& order, int components,
                int element);

  /// As it is seen while levels are visited that come from the one `step` away: -1 or 1.
  ScratchBinding coming_from(Index step) const;

 private:
  ScratchBinding binding_;
  Index level_stride_ = 0;
};

/// Visits the call's box in tiles of whole columns whose scratch, so many bytes a level, stays in
/// the second-level cache.
void for_each_tile(const SweepCall& call, const std::array<int, 3>& order, int bytes,
                   const std::function<void(const Box& tile)>& visit);

/// The part of `box` of a thread: whole columns.
Box columns_of_thread(const Box& box, const std::array<int, 3>& order, int column_axis, int threads,
                      int thread);

}  // namespace goban::cpu
