#pragma once
// The cells of a box, one after the other.

#include "goban/grid/box.hpp"

namespace goban {

/// Calls visit(cell) for every cell, x fastest.
template <class Visit>
void each_cell(const Box& box, Visit&& visit) {
  Index3 cell;
  for (cell[2] = box.lower[2]; cell[2] < box.upper[2]; ++cell[2]) {
    for (cell[1] = box.lower[1]; cell[1] < box.upper[1]; ++cell[1]) {
      for (cell[0] = box.lower[0]; cell[0] < box.upper[0]; ++cell[0]) visit(cell);
    }
  }
}

}  // namespace goban
