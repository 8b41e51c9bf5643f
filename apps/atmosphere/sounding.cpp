#include "atmosphere/sounding.hpp"

#include <algorithm>
#include <cmath>

#include "atmosphere/kessler.hpp"
#include "atmosphere/moisture.hpp"

namespace goban::atmosphere {

Sounding::Sounding(const Model& model, double top) : model_(model) {
  if (!model.humidity.has_water()) return;
  const auto steps = static_cast<std::size_t>(std::ceil(top / 5)) + 1;
  step_ = top / static_cast<double>(steps);
  const double kappa = model.gas_constant / model.heat_capacity;
  const double fall = model.gravity / model.heat_capacity * step_;
  levels_.push_back(level(std::pow(model.surface_pressure / 1e5, kappa), 0));
  for (std::size_t k = 1; k <= steps; ++k) {
    const Level below = levels_.back();
    Level here = below;
    for (int n = 0; n < 3; ++n) {  // d(exner)/dz = -g / (c_p theta_m), of second order
      const double mean = 0.5 * (below.theta + here.theta);
      here = level(below.exner - fall / mean, static_cast<double>(k) * step_);
    }
    levels_.push_back(here);
  }
}

Sounding::Level Sounding::level(double exner, double z) const {
  const Humidity& humidity = model_.humidity;
  const auto air = model_.moist_air<double>();
  const Kessler<double> rain;
  const double pressure = air.pressure(exner);
  const auto saturated = [&](double temperature) {
    return rain.saturation(temperature) / (0.01 * pressure);
  };
  if (humidity.kind == Humidity::Kind::relative) {
    const double theta = model_.theta(z);
    const double q_v = std::min(humidity.relative(z) * saturated(exner * theta), humidity.largest);
    return {exner, theta * air.theta_ratio(q_v, 0.0), q_v, 0};
  }
  const auto vapor = [&](double temperature) {
    return std::min(saturated(temperature), humidity.total_water);
  };
  double low = 100, high = 400;  // K; theta_e grows with temperature
  for (int n = 0; n < 60; ++n) {
    const double temperature = 0.5 * (low + high), q_v = vapor(temperature);
    const bool is_less =
        air.equivalent_theta(temperature, pressure, q_v, humidity.total_water - q_v) <
        humidity.equivalent_theta;
    (is_less ? low : high) = temperature;
  }
  const double q_v = vapor(low), q_c = humidity.total_water - q_v;
  return {exner, low / exner * air.theta_ratio(q_v, q_c), q_v, q_c};
}

double Sounding::at(double z, double Level::*value) const {
  const double place = std::max(z / step_, 0.0);
  const auto k = std::min(static_cast<std::size_t>(place), levels_.size() - 2);
  const double share = place - static_cast<double>(k);
  return (1 - share) * levels_[k].*value + share * levels_[k + 1].*value;
}

double Sounding::theta(double z) const {
  return levels_.empty() ? model_.theta(z) : at(z, &Level::theta);
}

double Sounding::pressure(double z, double warmer) const {
  return levels_.empty() ? model_.pressure(z, warmer)
                         : model_.moist_air<double>().pressure(at(z, &Level::exner));
}

double Sounding::vapor(double z) const { return levels_.empty() ? 0 : at(z, &Level::vapor); }
double Sounding::cloud(double z) const { return levels_.empty() ? 0 : at(z, &Level::cloud); }

}  // namespace goban::atmosphere
