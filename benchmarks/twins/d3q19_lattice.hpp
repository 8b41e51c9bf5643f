#pragma once
// The lattice of d3q19.hpp.

#include <array>

namespace goban::twins {

inline constexpr std::array<std::array<int, 3>, 19> d3q19_velocity = {{
    {0, 0, 0},                                        // rest
    {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},               // faces
    {0, -1, 0}, {0, 0, 1},   {0, 0, -1},              //
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},  // edges
    {1, 0, 1},  {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},  //
    {0, 1, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
}};

template <class T = float>
constexpr T d3q19_weight(int q) {
  return T(1) / (q == 0 ? 3 : q < 7 ? 18 : 36);
}

}  // namespace goban::twins
