#include "goban/backend/cpu/evaluator/row_memory.hpp"

#include <cstdlib>
#include <memory>
#include <new>

namespace goban::cpu {
namespace {

constexpr Index line_of_memory = 64;

struct FreeRows {
  void operator()(std::byte* memory) const { std::free(memory); }
};

/// Memory of the thread, at least so many bytes, on a line of memory; the same until more are asked
/// for.
std::byte* rows_of_thread(Index bytes) {
  thread_local std::unique_ptr<std::byte, FreeRows> memory;
  thread_local Index size = 0;
  if (bytes > size) {
    size = round_up(bytes, line_of_memory);
    memory.reset(static_cast<std::byte*>(
        std::aligned_alloc(line_of_memory, static_cast<std::size_t>(size))));
    if (!memory) {
      size = 0;
      throw std::bad_alloc();
    }
  }
  return memory.get();
}

}  // namespace

RowMemory::RowMemory(const RowProgram& program)
    // A line more than a power of two, so that rows do not compete for the same places in cache.
    : buffer_bytes_(program.piece * program.widest + line_of_memory),
      output_bytes_(program.piece * 8 + line_of_memory) {
  const Index ones = round_up(program.ones * Index{8}, line_of_memory);
  const auto outputs = static_cast<Index>(program.outputs.size());
  ones_ = rows_of_thread(ones + program.buffers * buffer_bytes_ + 2 * outputs * output_bytes_);
  buffers_ = ones_ + ones;
  outputs_ = buffers_ + program.buffers * buffer_bytes_;
}

}  // namespace goban::cpu
