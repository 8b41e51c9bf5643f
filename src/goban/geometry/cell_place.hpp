#pragma once

#include "goban/base/types.hpp"

namespace goban {

/// Where cubic cells lie: cell (0, 0, 0) has its lower corner at `origin`.
struct CellPlace {
  Real3 origin{};
  double spacing = 1;
  Index3 cells{1, 1, 1};
  std::array<bool, 3> is_periodic{};  ///< axes along which what lies in the cells comes again

  Real3 center(Index3 cell) const {
    Real3 at;
    for (std::size_t a = 0; a < 3; ++a) {
      at[a] = origin[a] + (static_cast<double>(cell[a]) + 0.5) * spacing;
    }
    return at;
  }
  /// The cell that one beyond an end of a periodic axis is; others stay.
  Index3 image(Index3 cell) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (is_periodic[a]) cell[a] = (cell[a] + cells[a]) % cells[a];
    }
    return cell;
  }
  bool contains(Index3 cell) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (cell[a] < 0 || cell[a] >= cells[a]) return false;
    }
    return true;
  }
};

}  // namespace goban
