#pragma once
// How a grid grows with the number of devices, for weak scaling.

#include <array>

#include "goban/base/types.hpp"

namespace goban {

/// How many times as many cells along each axis, `devices` times in all: the prime factors of the
/// number, the largest first, go to the axis that has grown least, of equals to the first. So 8
/// times along all axes is a cube, 2 x 2 x 2, and 12 times along x and y 3 x 4. Axes that are not
/// to grow stay. Error (ExitCode::usage): none is to grow.
Index3 growth(Index devices, const std::array<bool, 3>& axes);

}  // namespace goban
