#include "goban/cases/profile.hpp"

#include <cmath>
#include <numbers>

namespace goban {

double Profile::wave_at(std::size_t axis, double coordinate) const {
  if (waves[axis] == 0) return 1;
  const double phase =
      2 * std::numbers::pi * (waves[axis] * (coordinate - origin[axis]) / length[axis]);
  return is_cosine[axis] ? std::cos(phase) : std::sin(phase);
}

double Profile::shape_at(Position position) const {
  const Real3 p = {position.x, position.y, position.z};
  double value = 1;
  double distance = 0;  // squared
  for (std::size_t a = 0; a < 3; ++a) {
    distance += (p[a] - center[a]) * (p[a] - center[a]);
    if (shape == Shape::box && (p[a] < lower[a] || p[a] >= upper[a])) return 0;
    if (shape == Shape::mode) value *= wave_at(a, p[a]);
  }
  if (shape == Shape::sphere) return distance <= radius * radius ? value : 0;
  if (shape == Shape::gaussian) return value * std::exp(-distance / (2 * radius * radius));
  return value;
}

}  // namespace goban
