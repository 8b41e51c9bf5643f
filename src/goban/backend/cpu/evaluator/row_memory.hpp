#pragma once
// The buffers of a program while it is evaluated.

#include "goban/backend/cpu/evaluator/row_program.hpp"
#include "goban/base/aligned_memory.hpp"

namespace goban::cpu {

/// Allocates the numbers, buffers and outputs of a program.
class RowMemory {
 public:
  explicit RowMemory(const RowProgram& program);

  /// Returns the address of a number that all cells have; each takes 8 bytes.
  std::byte* one(int number) const { return ones_.get() + number * Index{8}; }
  std::byte* buffer(int number) const { return buffers_ + number * buffer_bytes_; }
  /// Returns a row of an output. Each output has two, so that the next can be computed before the
  /// previous one is stored.
  std::byte* output(int number, int turn) const {
    return outputs_ + (number * 2 + turn) * output_bytes_;
  }

 private:
  Index buffer_bytes_, output_bytes_;
  AlignedMemory ones_;
  std::byte *buffers_, *outputs_;
};

}  // namespace goban::cpu
