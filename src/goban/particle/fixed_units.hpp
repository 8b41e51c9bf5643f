#pragma once
// The units of the integers in which forces and torques are summed.

#include <vector>

#include "goban/particle/body.hpp"

namespace goban {

/// Powers of two, so that the largest that move a body by half a node or half a radian a step take
/// 52 bits of 62. All bodies have the same.
struct FixedUnits {
  double force = 1, torque = 1;
};
FixedUnits units_for(const std::vector<BodyShape>& shapes);

}  // namespace goban
