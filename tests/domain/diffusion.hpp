#pragma once
// What many tests start from, step and compare.

#include <bit>
#include <cstdint>

#include "goban/base/macros.hpp"
#include "goban/base/types.hpp"

namespace goban::test {

/// Neighbouring cells differ, and no short period fits a grid.
inline double pattern(Index3 p) {
  return static_cast<double>((p[0] * 7 + p[1] * 13 + p[2] * 29) % 31) / 31;
}

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

template <class T>
struct Diffusion {
  T r = T(0.1);
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + r * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                      u(0, 0, -1) - T(6) * u());
  }
};

}  // namespace goban::test
