#pragma once
// Values of fields between the points where they are kept.

#include <span>
#include <vector>

#include "goban/simulation/any_field.hpp"

namespace goban {

/// Two layers along an axis and where between them a coordinate lies: 0 at `low`, 1 at `high`.
/// Beyond the outermost values both are the outermost layer; periodic axes close the ring. Fields
/// of whole numbers have nothing between: the share is 0 or 1.
struct Between {
  Index low = 0, high = 0;
  double share = 0;
};
Between between(const AnyField& field, int axis, double coordinate);

/// Linear along every axis between the nearest values: of all points in their order, component
/// innermost. The same bits for every decomposition. Collective.
std::vector<double> interpolated(const AnyField& field, std::span<const Position> points);

/// Error (usage): the point lies outside of the grid or in the ground (see Vertical).
void check_inside(const AnyField& field, Position point);

}  // namespace goban
