#pragma once
// Explicit time schemes that keep the rates of one stage.

#include <cmath>
#include <optional>
#include <vector>

namespace goban {

enum class TimeScheme {
  ab2,  ///< Adams, Bashforth, of second order; steps may differ
  rk3   ///< Runge, Kutta, of third order in three stages (Wray, NASA Ames 1990)
};

/// u' = u + dt (now H + before H'), H' being the rate of the stage before.
struct StageWeights {
  double now, before;
  /// The length of the stage, over that of the step.
  double length() const { return now + before; }
};

/// The weights of AB2; `ratio`: the length of this step over that of the step before. 0: there was
/// none before, and the step is one of Euler's.
template <class Number>
void ab2_weights(const Number& ratio, Number& now, Number& before) {
  now = 1 + ratio / 2;
  before = -(ratio / 2);
}
/// The weights of the stages of a step; those of AB2 are left out.
inline std::vector<std::optional<StageWeights>> stages_of(TimeScheme scheme) {
  if (scheme == TimeScheme::ab2) return {std::nullopt};
  return {StageWeights{8.0 / 15, 0}, StageWeights{5.0 / 12, -17.0 / 60},
          StageWeights{3.0 / 4, -5.0 / 12}};
}

/// The number dt sum |u| / h up to which convection by central differences is stable; with AB2 for
/// short times or with some viscosity.
inline double largest_courant_number(TimeScheme scheme) {
  return scheme == TimeScheme::rk3 ? std::sqrt(3.0) : 1;
}
/// The number, dt times the rate at which the fastest mode decays, up to which diffusion is stable.
inline double largest_decay(TimeScheme scheme) { return scheme == TimeScheme::rk3 ? 2.51 : 1; }

}  // namespace goban
