#pragma once
// Which cells are active where steps over lists are measured.

#include <algorithm>

#include "goban/base/types.hpp"

namespace goban::benchmarks {

inline bool is_anywhere(Index3) { return true; }

/// Pipes of diameter 32 along z, side by side.
inline bool is_in_pipe(Index3 i) {
  constexpr Index pitch = 36, radius = 16;
  const auto from_axis = [](Index x) { return 2 * (x % pitch) - pitch + 1; };
  const Index x = from_axis(i[0]), y = from_axis(i[1]);
  return x * x + y * y < 4 * radius * radius;
}

/// Between grains that touch, spheres of 32 cells on a body-centred lattice: a third of the box.
inline bool is_between_grains(Index3 i) {
  constexpr Index period = 37;
  const auto distance = [&](Index shift) {
    double square = 0;
    for (const Index x : i) {
      const auto from_grain = static_cast<double>((x + shift) % period) - period / 2;
      square += from_grain * from_grain;
    }
    return square;
  };
  constexpr double radius = 16;
  return std::min(distance(0), distance(period / 2)) > radius * radius;
}

}  // namespace goban::benchmarks
