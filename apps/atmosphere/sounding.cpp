#include "atmosphere/sounding.hpp"

#include <algorithm>
#include <cmath>

#include "atmosphere/kessler.hpp"
#include "atmosphere/moisture.hpp"

namespace goban::atmosphere {

Sounding::Sounding(const Model& model, double top) : model_(model) {
  if (!model.humidity.has_water() && !model.profile) return;
  const auto steps = static_cast<std::size_t>(std::ceil(top / 5)) + 1;
  step_ = top / static_cast<double>(steps);
  const double kappa = model.gas_constant / model.heat_capacity;
  const double fall = model.gravity / model.heat_capacity * step_;
  levels_.push_back(lowest(std::pow(model.surface_pressure / 1e5, kappa)));
  for (std::size_t k = 1; k <= steps; ++k) {
    const Level below = levels_.back();
    Level here = below;
    for (int n = 0; n < 3; ++n) {  // d(exner)/dz = -g / (c_p theta_m), of second order
      const double mean = 0.5 * (below.theta_m + here.theta_m);
      here = level(below.exner - fall / mean, static_cast<double>(k) * step_, below);
    }
    levels_.push_back(here);
  }
}

Sounding::Level Sounding::made(double exner, double theta, double vapor, double cloud) const {
  const double ratio = model_.moist_air<double>().theta_ratio(vapor, cloud);
  return {exner, theta, theta * ratio, vapor, cloud};
}

double Sounding::saturation(double exner, double temperature) const {
  const double pressure = 0.01 * model_.moist_air<double>().pressure(exner);
  return Kessler<double>().saturation(temperature) / pressure;
}

Sounding::Level Sounding::humid(double exner, double z) const {
  const double theta = model_.theta(z);
  return made(exner, theta, std::min(vapor_of(exner, z, theta), model_.humidity.largest), 0);
}

double Sounding::vapor_of(double exner, double z, double theta) const {
  const auto& profile = model_.profile;
  const auto saturated = [&] { return saturation(exner, exner * theta); };
  switch (model_.humidity.kind) {
    case Humidity::Kind::relative: return model_.humidity.relative(z) * saturated();
    case Humidity::Kind::sounding:
      if (!profile->vapor.empty()) return profile->at(profile->vapor, z);
      return profile->at(profile->relative_humidity, z) * saturated();
    default: return 0;
  }
}

template <class F>
Sounding::Level Sounding::saturated(double exner, const F& is_too_cold) const {
  const double q_t = model_.humidity.total_water;
  double low = 100, high = 400;  // K
  for (int n = 0; n < 60; ++n) {
    const double temperature = 0.5 * (low + high);
    const double q_v = std::min(saturation(exner, temperature), q_t);
    (is_too_cold(temperature, q_v) ? low : high) = temperature;
  }
  const double q_v = std::min(saturation(exner, low), q_t);
  return made(exner, low / exner, q_v, q_t - q_v);
}

Sounding::Level Sounding::lowest(double exner) const {
  const Humidity& humidity = model_.humidity;
  if (humidity.kind != Humidity::Kind::saturated) return humid(exner, 0);
  const auto air = model_.moist_air<double>();
  return saturated(exner, [&](double temperature, double q_v) {
    return air.equivalent_theta(temperature, air.pressure(exner), q_v, humidity.total_water - q_v) <
           humidity.equivalent_theta;
  });
}

/// Saturated air: c_p exner dtheta = -L dq_v, as condensation in warm rain has it.
Sounding::Level Sounding::level(double exner, double z, const Level& below) const {
  if (model_.humidity.kind != Humidity::Kind::saturated) return humid(exner, z);
  const double warming =
      Kessler<double>().latent_heat / (model_.heat_capacity * 0.5 * (exner + below.exner));
  return saturated(exner, [&](double temperature, double q_v) {
    return temperature / exner - below.theta < warming * (below.vapor - q_v);
  });
}

double Sounding::at(double z, double Level::*value) const {
  const double place = std::max(z / step_, 0.0);
  const auto k = std::min(static_cast<std::size_t>(place), levels_.size() - 2);
  const double share = place - static_cast<double>(k);
  return (1 - share) * levels_[k].*value + share * levels_[k + 1].*value;
}

double Sounding::theta(double z) const {
  return levels_.empty() ? model_.theta(z) : at(z, &Level::theta_m);
}

double Sounding::pressure(double z, double warmer) const {
  return levels_.empty() ? model_.pressure(z, warmer)
                         : model_.moist_air<double>().pressure(at(z, &Level::exner));
}

double Sounding::vapor(double z) const { return levels_.empty() ? 0 : at(z, &Level::vapor); }
double Sounding::cloud(double z) const { return levels_.empty() ? 0 : at(z, &Level::cloud); }

}  // namespace goban::atmosphere
