#include "goban/particle/fixed_units.hpp"

#include <algorithm>
#include <cmath>

namespace goban {
namespace {

double power_of_two_above(double x) { return std::ldexp(1, std::ilogb(x) + 1); }

}  // namespace

FixedUnits units_for(const std::vector<BodyShape>& shapes) {
  double force = 0, torque = 0;
  for (const BodyShape& shape : shapes) {
    const Real3 inertia = shape.inertia();
    force = std::max(force, shape.mass() + shape.friction);
    torque = std::max(
        torque, *std::max_element(inertia.begin(), inertia.end()) + shape.rotational_friction);
  }
  return {std::ldexp(power_of_two_above(force), -52), std::ldexp(power_of_two_above(torque), -52)};
}

}  // namespace goban
