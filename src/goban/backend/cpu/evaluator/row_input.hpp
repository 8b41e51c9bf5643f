#pragma once
// A row that a program reads where it lies.

#include "goban/backend/cpu/evaluator/row_store.hpp"

namespace goban::cpu {

/// One read of a sweep during a call.
class RowInput {
 public:
  RowInput(const SweepCall& call, const RowRead& read, const std::array<int, 3>& order);

  void start(const RowOfBox& row);
  /// What cell i of the row reads; of another grid where its row begins, for all cells.
  const std::byte* at(Index i) const { return row_ + i * step_; }
  const IndexMap& map() const { return map_; }

 private:
  std::array<int, 3> order_;
  IndexMap map_{};
  Index3 first_{};  ///< what is added to local cells before they are mapped
  Index bytes_, step_;
  const std::byte* base_;
  const std::byte* row_ = nullptr;
  std::array<Index, 3> stride_;
};

}  // namespace goban::cpu
