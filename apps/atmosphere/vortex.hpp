#pragma once
// A warm-cored vortex in balance: how tropical cyclones begin.

#include <array>

namespace goban::atmosphere {

struct Model;
class Sounding;

/// After Reed and Jablonowski (Mon. Weather Rev. 139 (2011) 689), over any base state: with r the
/// distance from the axis and bars for the base state,
///   p = pbar (1 - drop / p_0 E),  E = exp(-(r / radius)^(3/2) - (z / height)^2),
/// temperatures from dp/dz = -g rho and the wind from v^2 / r + f v = dp/dr / rho.
struct Vortex {
  double drop = 0;                 ///< Pa, where z = 0; 0: there is none
  double radius = 282e3;           ///< m
  double height = 7000;            ///< m
  std::array<double, 2> center{};  ///< m

  /// What it makes of air at this distance [m] and height [m].
  struct Air {
    double pressure;  ///< over that of the base state
    double theta;     ///< theta_m, K
    double speed;     ///< counterclockwise where f is positive, m/s
  };
  Air at(const Model& model, const Sounding& base, double f, double r, double z) const;
};

}  // namespace goban::atmosphere
