#pragma once
// How a piece of a row that an output is computed to in cache gets to where it belongs.

#include "goban/backend/cpu/evaluator/row_program.hpp"
#include "goban/backend/kernel_call.hpp"

namespace goban::cpu {

/// Rows of a box: cells of index `middle` and `slow` along these axes.
struct RowOfBox {
  Index middle = 0, slow = 0;
};

/// One output of a sweep during a call.
class RowStore {
 public:
  RowStore(const SweepCall& call, const RowOutput& output, const std::array<int, 3>& order);

  void start(const RowOfBox& row);
  /// Where cell i of the row lies; nothing but these cells may be written there.
  std::byte* at(Index i) const { return row_ + i * bytes_; }
  /// The n cells from `first` on go to memory and nowhere else, whatever their values are.
  bool is_whole(Index first, Index n) const;
  /// What the clip, the mask and the ends that are kept make of the n cells from `first` on.
  void store(Index first, Index n, const std::byte* values) const;

 private:
  void store_in_memory(Index first, Index end, Index origin, const std::byte* values) const;

  Lane stored_;
  Index bytes_;
  std::array<int, 3> order_;
  bool is_scratch_, is_streamed_, is_clipped_away_ = false;
  std::byte* base_;
  std::byte* row_ = nullptr;
  std::byte* kept_base_ = nullptr;  ///< null: no ends are kept
  std::byte* kept_row_ = nullptr;
  const std::uint8_t* mask_row_ = nullptr;
  std::array<Index, 3> stride_;
  Box clip_{};
  const FieldBinding* mask_;
  const RowEndsBinding* ends_ = nullptr;
};

}  // namespace goban::cpu
