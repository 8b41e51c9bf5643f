#pragma once
// The ceiling: a copy of contiguous memory past the caches.

#include <cstddef>

#include "benchmarks/twins/vector.hpp"

namespace goban::twins {

/// The part of the copy that belongs to `thread`; both addresses on 64 bytes. A last part of fewer
/// than 256 bytes is left out.
inline void stream_copy(void* to, const void* from, std::size_t bytes, int thread, int threads) {
  using Byte = unsigned char;
  constexpr std::size_t page = 4096, step = 4 * vector_bytes;
  const auto cut = [&](int t) {
    return t == threads ? bytes / step * step : bytes / page * t / threads * page;
  };
  const auto* source = static_cast<const Byte*>(from);
  auto* target = static_cast<Byte*>(to);
  for (std::size_t i = cut(thread), end = cut(thread + 1); i < end; i += step) {
    Vector<Byte> part[4];
    for (int k = 0; k < 4; ++k) part[k] = load(source + i + k * vector_bytes);
    for (int k = 0; k < 4; ++k) stream(target + i + k * vector_bytes, part[k]);
  }
  _mm_sfence();
}

}  // namespace goban::twins
