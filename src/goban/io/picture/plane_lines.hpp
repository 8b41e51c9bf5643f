#pragma once
// Lines through a plane of values: of equal values, and along a velocity.

#include <vector>

#include "goban/io/picture/canvas.hpp"
#include "goban/io/picture/value_range.hpp"

namespace goban {

/// Pieces of the lines on which the values are `level`, linear between the middles of cells, in
/// cells from the lower left corner of the plane: (0.5, 0.5) is the middle of its first cell. None
/// beside cells without a number.
std::vector<Polyline> contour_lines(const FlatPlane& plane, double level);

/// Lines along the velocity (u, v) in cells a time, where contour_lines has them, about evenly
/// spaced: each keeps a distance of a thirtieth of the longer side from those before it. `aspect`:
/// height of a cell over its width.
std::vector<Polyline> streamlines(const FlatPlane& u, const FlatPlane& v, double aspect);

}  // namespace goban
