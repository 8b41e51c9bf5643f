#pragma once
// Asks for a line of memory before it is used.

#include "goban/base/macros.hpp"

namespace goban {

enum class CacheLevel { first, second };

/// The line that holds `address` comes into a cache of this core. Not __builtin_prefetch: g++ 12
/// takes code that does nothing but fetch for code without effect, and drops it.
template <CacheLevel Level>
[[gnu::always_inline]] inline void fetch(const void* address) {
  constexpr bool is_first = Level == CacheLevel::first;
#if defined(__aarch64__)
  if constexpr (is_first) asm volatile("prfm pldl1keep, %a0" : : "p"(address));
  if constexpr (!is_first) asm volatile("prfm pldl2keep, %a0" : : "p"(address));
#else
  const char& line = *static_cast<const char*>(address);
  if constexpr (is_first) asm volatile("prefetcht0 %0" : : "m"(line));
  if constexpr (!is_first) asm volatile("prefetcht1 %0" : : "m"(line));
#endif
}

}  // namespace goban
