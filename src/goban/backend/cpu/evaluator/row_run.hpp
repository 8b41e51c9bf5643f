#pragma once
// Evaluates a graph over rows, in place of machine code.

#include <vector>

#include "goban/backend/cpu/evaluator/row_memory.hpp"
#include "goban/backend/cpu/evaluator/site_rows.hpp"
#include "goban/backend/cpu/kernels/row_call.hpp"

namespace goban::cpu {

/// The evaluation of one program in one call, both of which must outlive it. Only one thread may
/// use it.
class RowRun {
 public:
  /// `order`: the memory order of the fields. `stores_late`: results overwrite values that are
  /// still read (see program/in_place.hpp), so that a piece is stored after the next one has been
  /// evaluated.
  RowRun(const RowProgram& program, const std::array<int, 3>& order, bool stores_late,
         const SweepCall& call);

  /// Computes the cells from `first` to below `last` of `count` rows of `planes` planes.
  void operator()(const device::RowCall& rows, Index first, Index last, Index count, Index planes);

 private:
  struct Piece {
    Index first = 0, n = 0;
    int turn = 0;
  };

  void set_known_numbers();
  void set_slots();
  void run_once(const std::vector<Instruction>& instructions) const;
  Index first_local() const;
  void run_special(const Instruction& instruction, void* to, const void* operand, Index n) const;
  void aim(const device::RowCall& rows, Index row, Index plane);
  void run_row(const device::RowCall& rows, Index first, Index last);
  const std::byte* input(std::size_t read, Index first) const;
  void evaluate(const Piece& piece);
  void store(const Piece& piece) const;
  bool overlaps() const;
  /// Returns whether the output is computed directly in its memory and not in cache.
  bool is_direct(const RowOutput& output) const {
    return is_direct_ && !(streams_ && !output.is_scratch && !output.is_updated);
  }

  const RowProgram& program_;
  std::array<int, 3> order_;
  bool stores_late_, is_direct_, streams_ = false;
  const SweepCall& call_;
  RowMemory memory_;
  /// The addresses of all slots; for reads and outputs those of the present piece.
  std::vector<std::byte*> slots_;
  std::vector<const std::byte*> reads_;  ///< one per read: what cell 0 of the present row reads
  std::vector<std::byte*> writes_;  ///< one per output: where cell 0 of the present row is stored
  RowSite site_;
  int turn_ = 0;
};

/// Lets the evaluator of the call compute its rows. It is a device::RowFunction.
void evaluate_rows(const device::RowCall* call, device::Index first, device::Index last,
                   device::Index rows, device::Index planes);

}  // namespace goban::cpu
