#include "atmosphere/vortex.hpp"

#include <cmath>

#include "atmosphere/sounding.hpp"

namespace goban::atmosphere {

Vortex::Air Vortex::at(const Model& model, const Sounding& base, double f, double r,
                       double z) const {
  const double kappa = model.gas_constant / model.heat_capacity, R = model.gas_constant;
  const double theta = base.theta(z);
  const double base_temperature = theta * std::pow(base.pressure(z, 0) / 1e5, kappa);
  const double turns = std::pow(r / radius, 1.5);
  const double lower = drop / model.surface_pressure * std::exp(-turns - z * z / (height * height));
  const double of_all = lower / (1 - lower);
  const double per_temperature =
      1 / base_temperature - 2 * R * z * of_all / (model.gravity * height * height);
  const double temperature = 1 / per_temperature;
  const double half = 0.5 * f * r;
  const double speed =
      std::sqrt(half * half + 1.5 * turns * R * temperature * of_all) - std::abs(half);
  return {1 - lower, theta * (temperature / base_temperature) * std::pow(1 - lower, -kappa),
          std::copysign(speed, f)};
}

}  // namespace goban::atmosphere
