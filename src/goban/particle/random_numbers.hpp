#pragma once
// Random places and orientations of bodies.

#include <cmath>
#include <cstdint>

#include "goban/base/mix.hpp"
#include "goban/particle/body.hpp"

namespace goban {

/// Numbers in [0, 1), the same on every rank and machine: each draw of a seed has as many as are
/// asked for.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : seed_(mix(seed)) {}
  double at(Index draw, int n) const {
    const std::uint64_t of_draw = mix(seed_ ^ static_cast<std::uint64_t>(draw));
    return static_cast<double>(mix(of_draw + static_cast<std::uint64_t>(n)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t seed_;
};

/// Returns a rotation, any as likely as any other: a point of the sphere in four dimensions, by
/// rejection. It takes the numbers of the draw from 3 on.
inline Quaternion random_rotation(const RandomNumbers& numbers, Index draw) {
  for (int n = 3;; n += 4) {
    Quaternion q;
    double square = 0;
    for (int i = 0; i < 4; ++i) {
      q[static_cast<std::size_t>(i)] = 2 * numbers.at(draw, n + i) - 1;
      square += q[static_cast<std::size_t>(i)] * q[static_cast<std::size_t>(i)];
    }
    if (square > 1 || square < 0.01) continue;
    for (double& x : q) x /= std::sqrt(square);
    return q;
  }
}

}  // namespace goban
