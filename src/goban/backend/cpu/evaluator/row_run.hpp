#pragma once
// A program evaluated over the rows of a box.

#include "goban/backend/cpu/evaluator/row_input.hpp"
#include "goban/backend/cpu/evaluator/row_memory.hpp"
#include "goban/backend/cpu/evaluator/site_rows.hpp"

namespace goban::cpu {

/// How rows are walked and what becomes of the outputs.
struct RowManner {
  std::array<int, 3> order{0, 1, 2};  ///< memory order of the fields
  bool reduces = false;               ///< the one output goes to the reducer
  /// What is written lies where others are read, see program/in_place.hpp: a piece is stored after
  /// the next one has been evaluated.
  bool stores_late = false;
};

/// Runs a program during a call, both of which must outlive it; each thread has one at a time.
class RowRun {
 public:
  RowRun(const RowProgram& program, const RowManner& manner, const SweepCall& call);

  void operator()(const Box& box);

 private:
  struct Waiting {
    Index first = 0, n = 0;
    int turn = 0;
  };

  void set_known_numbers();
  void set_slots();
  void run_once(const std::vector<Instruction>& instructions) const;
  Index first_local() const;
  void run_special(const Instruction& instruction, void* to, const void* operand, Index n) const;
  void row(const RowOfBox& row, Index low, Index high);
  /// The mask of the row from a cell on; there is one.
  const std::uint8_t* mask_at(Index first) const;
  /// The mask leaves none of these cells.
  bool is_masked_out(Index first, Index end) const;
  void evaluate(Index first, Index n);
  void store(const Waiting& piece) const;
  void reduce(Index first, Index n, const std::byte* values) const;
  bool overlaps() const;

  const RowProgram& program_;
  RowManner manner_;
  std::array<int, 3> order_;
  const SweepCall& call_;
  RowMemory memory_;
  std::vector<RowInput> inputs_;
  std::vector<RowStore> stores_;
  std::vector<std::byte*> slots_;  ///< where they lie; reads and outputs of the piece at hand
  RowSite site_;
  RowOfBox row_{};
  bool computes_in_memory_;
  int turn_ = 0;
};

}  // namespace goban::cpu
