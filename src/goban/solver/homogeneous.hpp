#pragma once
// What is added to a solution.

#include <string>

#include "goban/field/field.hpp"
#include "goban/field/unused_name.hpp"

namespace goban {

/// What differences of two fields with these conditions fulfil: values are 0, gradients mirror.
inline BoundarySet homogeneous(const BoundarySet& boundary) {
  using Kind = BoundaryCondition::Kind;
  BoundarySet zero = boundary;
  for (auto& axis : zero.sides) {
    for (auto& side : axis) {
      if (side.kind == Kind::gradient) side = mirror;
      if (side.kind == Kind::wall_value) side = wall_value(0);
      if (side.kind == Kind::constant) side = constant(0);
    }
  }
  return zero;
}

/// Another field like u for changes of u, under the conditions that these fulfil.
template <class T, int C, class Layout>
Field<T, C, Layout> field_of_changes(const Field<T, C, Layout>& u, const std::string& what) {
  Field<T, C, Layout> field(u, unused_name(*u.grid(), what + " of " + u.name()));
  field.boundary(homogeneous(u.record()->boundary.front()));
  return field;
}

}  // namespace goban
