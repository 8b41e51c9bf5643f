#pragma once
// Boundary conditions of what is added to a solution.

#include "goban/boundary/boundary.hpp"

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

}  // namespace goban
