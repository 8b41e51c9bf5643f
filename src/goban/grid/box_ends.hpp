#pragma once
// The layers of cells at the sides of a box.

#include "goban/grid/box.hpp"

namespace goban {

/// The outermost `layers` of cells of a box on one of its sides.
constexpr Box end_of(Box box, int axis, Side side, Index layers = 1) {
  if (side == Side::low) box.upper[axis] = box.lower[axis] + layers;
  if (side == Side::high) box.lower[axis] = box.upper[axis] - layers;
  return box;
}

}  // namespace goban
