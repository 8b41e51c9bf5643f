#pragma once

#include "goban/particle/bodies.hpp"

namespace goban::python {

struct BodiesHandle {
  Grid grid;
  BodyShape shape;
  Bodies bodies;
};

inline Bodies bodies_of(const void* handle) {
  return static_cast<const BodiesHandle*>(handle)->bodies;
}

}  // namespace goban::python
