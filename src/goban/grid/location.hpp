#pragma once
// Where a value lives on the staggered (Arakawa C) grid.

#include "goban/base/types.hpp"

namespace goban {

/// Index i of a face value is the lower face of cell i; edges and nodes likewise are at the lower
/// corner on their axes.
enum class Location : std::uint8_t { cell, face_x, face_y, face_z, edge_x, edge_y, edge_z, node };

/// True where the value sits on the lower face of the cell along this axis.
constexpr bool is_staggered(Location location, int axis) {
  switch (location) {
    case Location::cell: return false;
    case Location::face_x: return axis == 0;
    case Location::face_y: return axis == 1;
    case Location::face_z: return axis == 2;
    case Location::edge_x: return axis != 0;
    case Location::edge_y: return axis != 1;
    case Location::edge_z: return axis != 2;
    default: return true;
  }
}

}  // namespace goban
