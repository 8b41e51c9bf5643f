#include "goban/domain/engine/number_table.hpp"

#include <algorithm>

namespace goban {
namespace {

/// A chunk has 32 KiB. Copies of up to 64 KiB do not make the host wait.
constexpr std::size_t numbers_of_chunk = 4096;

}  // namespace

void NumberTable::start() {
  current_ = 0;
  for (Chunk& chunk : chunks_) chunk.used = chunk.uploaded = 0;
}

NumberTable::Place NumberTable::take(std::size_t count) {
  const auto has_room = [&](const Chunk& chunk) {
    return chunk.used + count <= chunk.values.size();
  };
  while (current_ < chunks_.size() && !has_room(chunks_[current_])) ++current_;
  if (current_ == chunks_.size()) {
    Chunk& chunk = chunks_.emplace_back();
    chunk.values.resize(std::max(numbers_of_chunk, count));
    chunk.memory = executor_.allocate(chunk.values.size() * sizeof(double));
  }
  Chunk& chunk = chunks_[current_];
  const auto first = static_cast<std::ptrdiff_t>(chunk.used);
  chunk.used += count;
  return {chunk.values.data() + first, reinterpret_cast<double*>(chunk.memory.get()) + first,
          chunk.memory};
}

void NumberTable::upload() {
  for (Chunk& chunk : chunks_) {
    if (chunk.used == chunk.uploaded) continue;
    const std::size_t offset = chunk.uploaded * sizeof(double);
    executor_.loops()->upload_numbers(
        {chunk.memory, chunk.memory.get() + offset},
        reinterpret_cast<const std::byte*>(chunk.values.data()) + offset,
        (chunk.used - chunk.uploaded) * sizeof(double));
    chunk.uploaded = chunk.used;
  }
}

void NumberTable::download() {
  for (Chunk& chunk : chunks_) {
    executor_.loops()->download_numbers(reinterpret_cast<std::byte*>(chunk.values.data()),
                                        chunk.memory, chunk.used * sizeof(double));
  }
}

}  // namespace goban
