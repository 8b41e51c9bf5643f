#include "goban/domain/engine/changing_numbers.hpp"

#include <algorithm>

namespace goban {
namespace {

/// Copies of up to 64 KiB do not make the host wait.
constexpr std::size_t numbers_of_chunk = 4096;

}  // namespace

void ChangingNumbers::start() {
  for (auto& [executor, own] : all_) {
    own.current = 0;
    for (Chunk& chunk : own.chunks) chunk.used = chunk.uploaded = 0;
  }
}

ChangingNumbers::Place ChangingNumbers::take(Executor& executor, std::size_t count) {
  OfExecutor& own = all_[&executor];
  const auto has_room = [&](const Chunk& chunk) {
    return chunk.used + count <= chunk.values.size();
  };
  while (own.current < own.chunks.size() && !has_room(own.chunks[own.current])) ++own.current;
  if (own.current == own.chunks.size()) {
    Chunk& chunk = own.chunks.emplace_back();
    chunk.values.resize(std::max(numbers_of_chunk, count));
    chunk.memory = executor.allocate(chunk.values.size() * sizeof(double));
  }
  Chunk& chunk = own.chunks[own.current];
  const auto first = static_cast<std::ptrdiff_t>(chunk.used);
  chunk.used += count;
  return {chunk.values.data() + first, reinterpret_cast<const double*>(chunk.memory.get()) + first,
          chunk.memory};
}

void ChangingNumbers::upload() {
  for (auto& [executor, own] : all_) {
    for (Chunk& chunk : own.chunks) {
      if (chunk.used == chunk.uploaded) continue;
      const std::size_t bytes = (chunk.used - chunk.uploaded) * sizeof(double);
      const std::size_t offset = chunk.uploaded * sizeof(double);
      executor->loops()->upload_numbers(
          {chunk.memory, chunk.memory.get() + offset},
          reinterpret_cast<const std::byte*>(chunk.values.data()) + offset, bytes);
      chunk.uploaded = chunk.used;
    }
  }
}

}  // namespace goban
