#include "goban/backend/cpu/evaluator/row_memory.hpp"

namespace goban::cpu {
namespace {

constexpr Index line_of_memory = 64;

}  // namespace

RowMemory::RowMemory(const RowProgram& program)
    // A line more than a power of two, so that rows do not compete for the same places in cache.
    : buffer_bytes_(program.piece * program.widest + line_of_memory),
      output_bytes_(program.piece * 8 + line_of_memory) {
  const Index ones = round_up(program.ones * Index{8}, line_of_memory);
  const auto outputs = static_cast<Index>(program.outputs.size());
  const Index bytes = ones + program.buffers * buffer_bytes_ + 2 * outputs * output_bytes_;
  ones_ = aligned_memory(static_cast<std::size_t>(bytes), line_of_memory);
  buffers_ = ones_.get() + ones;
  outputs_ = buffers_ + program.buffers * buffer_bytes_;
}

}  // namespace goban::cpu
