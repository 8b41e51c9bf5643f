#pragma once
// Bodies in pictures of planes.

#include "goban/io/picture/canvas.hpp"
#include "goban/particle/body.hpp"

namespace goban {

/// Where the plane across an axis at `position` cuts a body: an ellipse, in nodes, the lower of the
/// other axes first; once more for each image around periodic axes that may be seen.
std::vector<Polyline> outlines_of(const device::BodyState& body, const BodyShape& shape, Axis axis,
                                  double position, const Real3& period);

}  // namespace goban
