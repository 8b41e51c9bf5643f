#pragma once
// Numbers that are the same in memory.

#include <bit>
#include <cstdint>

namespace goban {

/// Tells zeros of both signs apart, and a NaN is itself.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace goban
