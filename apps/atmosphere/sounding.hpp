#pragma once
// The base state as functions of height: of moist air, and of air whose profile a file gives.

#include <vector>

#include "atmosphere/model.hpp"

namespace goban::atmosphere {

/// Air in hydrostatic balance, in steps of a few metres, from the ground to this height. In a model
/// without water and profile its theta and pressure are the model's own.
class Sounding {
 public:
  Sounding(const Model& model, double top);

  /// Potential temperature of moist air, theta_m, K.
  double theta(double z) const;
  /// Pa; `warmer` [K] is 0 where there is water or a profile.
  double pressure(double z, double warmer) const;
  /// Mixing ratios, kg for a kg of dry air.
  double vapor(double z) const;
  double cloud(double z) const;

 private:
  struct Level {
    double exner, theta, theta_m, vapor, cloud;
  };
  Level made(double exner, double theta, double vapor, double cloud) const;
  Level lowest(double exner) const;
  Level level(double exner, double z, const Level& below) const;
  Level humid(double exner, double z) const;
  double vapor_of(double exner, double z, double theta) const;  ///< kg/kg
  /// The saturated level at the temperature below which the condition (temperature, q_v) holds.
  template <class F>
  Level saturated(double exner, const F& is_too_cold) const;
  double saturation(double exner, double temperature) const;  ///< q_vs
  double at(double z, double Level::*value) const;

  Model model_;
  double step_ = 0;            ///< m
  std::vector<Level> levels_;  ///< none in a model without water and profile
};

}  // namespace goban::atmosphere
