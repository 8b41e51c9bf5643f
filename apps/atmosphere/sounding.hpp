#pragma once
// The base state of moist air as functions of height.

#include <vector>

#include "atmosphere/model.hpp"

namespace goban::atmosphere {

/// Air in hydrostatic balance, in steps of a few metres, from the ground to this height. Of a model
/// without water its theta and pressure are the model's own.
class Sounding {
 public:
  Sounding(const Model& model, double top);

  /// Potential temperature of moist air, theta_m, K.
  double theta(double z) const;
  /// Pa; `warmer` [K] is 0 where there is water.
  double pressure(double z, double warmer) const;
  /// Mixing ratios, kg for a kg of dry air.
  double vapor(double z) const;
  double cloud(double z) const;

 private:
  struct Level {
    double exner, theta, vapor, cloud;
  };
  Level level(double exner, double z) const;
  double at(double z, double Level::*value) const;

  Model model_;
  double step_ = 0;            ///< m
  std::vector<Level> levels_;  ///< none of a model without water
};

}  // namespace goban::atmosphere
