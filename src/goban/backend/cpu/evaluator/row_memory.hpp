#pragma once
// Rows in cache while a program is evaluated over them.

#include <memory>

#include "goban/backend/cpu/evaluator/row_program.hpp"

namespace goban::cpu {

/// What a program needs while it is evaluated.
class RowMemory {
 public:
  explicit RowMemory(const RowProgram& program);

  /// 8 bytes each.
  std::byte* one(int number) const { return ones_.get() + number * Index{8}; }
  std::byte* buffer(int number) const { return buffers_ + number * buffer_bytes_; }
  /// Each output has two rows: where one is stored later, the next is computed meanwhile.
  std::byte* output(int number, int turn) const {
    return outputs_ + (number * 2 + turn) * output_bytes_;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  Index buffer_bytes_, output_bytes_;
  std::unique_ptr<std::byte, Free> ones_;
  std::byte *buffers_, *outputs_;
};

}  // namespace goban::cpu
