#include "seismic/double_couple.hpp"

#include <cmath>
#include <numbers>

namespace goban::seismic {

std::array<double, 6> double_couple(const Real3& angles, double moment) {
  constexpr double degree = std::numbers::pi / 180;
  const double phi = angles[0] * degree, delta = angles[1] * degree, lambda = angles[2] * degree;
  const double along = std::sin(delta) * std::cos(lambda);
  const double across = std::sin(2 * delta) * std::sin(lambda);
  const double shallow = std::cos(delta) * std::cos(lambda);
  const double steep = std::cos(2 * delta) * std::sin(lambda);
  const double s = std::sin(phi), c = std::cos(phi), s2 = std::sin(2 * phi), c2 = std::cos(2 * phi);
  return {-moment * (along * s2 + across * s * s),
          moment * (along * s2 - across * c * c),
          moment * across,
          moment * (along * c2 + across * s2 / 2),
          -moment * (shallow * c + steep * s),
          -moment * (shallow * s - steep * c)};
}

double moment_of_magnitude(double magnitude) { return std::pow(10.0, 1.5 * magnitude + 9.1); }

}  // namespace goban::seismic
