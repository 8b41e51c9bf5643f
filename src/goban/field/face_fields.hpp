#pragma once
// Fields on the faces across axes, as velocities have them.

#include <string>
#include <vector>

#include "goban/field/field.hpp"

namespace goban {

constexpr Location face_across(Axis axis) {
  constexpr Location faces[] = {Location::face_x, Location::face_y, Location::face_z};
  return faces[index_of(axis)];
}

/// Makes a field on the faces across each of these axes, called prefix + "x" ...; boundary(axis)
/// gives its conditions.
template <class T, class Axes, class BoundaryOf>
std::vector<Field<T>> face_fields(Grid& grid, const std::string& prefix, const Axes& axes,
                                  const BoundaryOf& boundary_of) {
  std::vector<Field<T>> fields;
  for (const Axis axis : axes) {
    const BoundarySet boundary = boundary_of(axis);
    const FieldOptions options{.location = face_across(axis), .boundary = &boundary};
    fields.emplace_back(grid, prefix + "xyz"[index_of(axis)], options);
  }
  return fields;
}

}  // namespace goban
