#pragma once
// Heights of levels that follow the ground, see Vertical.

#include <functional>
#include <optional>

#include "goban/io/file/array_view.hpp"
#include "goban/simulation/any_field.hpp"

namespace goban {

/// The place in the grid of a point whose z is a height; the point itself where levels are flat.
/// Heights are linear between the centres of columns, as what is interpolated is. Error (usage): it
/// lies in the ground or above the lid.
Position on_grid(const AnyField& field, Position point);

/// Where the lower corner of a cell stands, or of one beyond the ends: heights are means of the
/// four columns around. None where levels are flat.
std::function<Real3(Index3)> nodes_of(const AnyField& field);

/// Whether a plane across this axis shows levels that follow the ground.
bool follows_ground(const AnyField& field, Axis normal);

/// Rows of a picture for each level, so that the ground is seen to a part of one.
inline constexpr Index rows_of_level = 4;

/// Such a plane, layer `layer` of the cells across `normal`, with rows of equal height from the
/// lowest face of the grid to its lid. In the ground: `below`, or the value of the lowest cell.
Array by_height(const AnyField& field, const ArrayView& plane, Axis normal, Index layer,
                std::optional<double> below);

}  // namespace goban
