#pragma once
// Velocity sets, in units of cells per step.
//
// Rest first, then pairs of opposite velocities, so that the opposite of an odd number is the next
// and of an even one the last. c_s^2 = 1/3 for both.

#include <array>

#include "goban/base/links.hpp"
#include "goban/base/macros.hpp"

namespace goban::lbm {

using Velocity = std::array<int, 3>;

namespace detail {

inline constexpr std::array<Velocity, 9> d2q9_velocity = {{
    {0, 0, 0},  // rest
    {1, 0, 0},
    {-1, 0, 0},
    {0, 1, 0},
    {0, -1, 0},  // faces
    {1, 1, 0},
    {-1, -1, 0},
    {1, -1, 0},
    {-1, 1, 0},  // edges
}};

}  // namespace detail

struct D2Q9 {
  static constexpr int size = 9;
  static constexpr int dimensions = 2;
  static constexpr Velocity velocity(int q) { return detail::d2q9_velocity[q]; }
  /// 4/9, 1/9, 1/36.
  static constexpr double weight(int q) { return q == 0 ? 4.0 / 9 : q < 5 ? 1.0 / 9 : 1.0 / 36; }
};

struct D3Q19 {
  static constexpr int size = 19;
  static constexpr int dimensions = 3;
  static constexpr Velocity velocity(int q) {
    if (q == 0) return {0, 0, 0};
    const Index3& link = face_and_edge_links[static_cast<std::size_t>(q - 1)];
    return {static_cast<int>(link[0]), static_cast<int>(link[1]), static_cast<int>(link[2])};
  }
  /// 1/3, 1/18, 1/36.
  static constexpr double weight(int q) { return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36; }
};

constexpr int opposite(int q) { return q == 0 ? 0 : q % 2 == 1 ? q + 1 : q - 1; }

}  // namespace goban::lbm
