#pragma once
// Rows of a thread's own, in cache while a program is evaluated over them.

#include "goban/backend/cpu/evaluator/row_program.hpp"

namespace goban::cpu {

/// What a program needs while it is evaluated, in memory of the calling thread: of one program at a
/// time.
class RowMemory {
 public:
  explicit RowMemory(const RowProgram& program);

  /// The memory of a single number; each has 8 bytes.
  std::byte* one(int number) const { return ones_ + number * Index{8}; }
  std::byte* buffer(int number) const { return buffers_ + number * buffer_bytes_; }
  /// Each output has two rows: where one is stored later, the next is computed meanwhile.
  std::byte* output(int number, int turn) const {
    return outputs_ + (number * 2 + turn) * output_bytes_;
  }

 private:
  Index buffer_bytes_, output_bytes_;
  std::byte *ones_, *buffers_, *outputs_;
};

}  // namespace goban::cpu
