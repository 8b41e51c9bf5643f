#pragma once
// Work that buoyancy does on air that rises from the ground: CAPE and CIN.
//
// A parcel of the lowest level's air rises without mixing: theta and r (the mixing ratio of vapour)
// stay until it is saturated, then its equivalent potential temperature does, all water falling out
// of it (Bolton, Mon. Weather Rev. 108 (1980) 1046, equations 10, 21 and 43; e in hPa):
//   e_s = 6.112 exp(17.67 (T - 273.15) / (T - 29.65))
//   T_L = 2840 / (3.5 log T - log e - 4.805) + 55
//   theta_e = T (1000 hPa / p)^(0.2854 (1 - 0.28 r)) exp((3376 / T_L - 2.54) r (1 + 0.81 r))

#include "atmosphere/measures.hpp"
#include "goban/stencil/mathematics/functions.hpp"

namespace goban::atmosphere {

/// Vapour in air at p [hPa], T [K]. T: float or double.
template <class T>
struct Pseudoadiabat {
  static constexpr T gas_ratio = T(0.622), kappa = T(0.2854);

  GOBAN_FUNCTION auto saturation_pressure(const auto& temperature) const {
    return T(6.112) * exp(T(17.67) * (temperature - T(273.15)) / (temperature - T(29.65)));
  }
  GOBAN_FUNCTION auto saturation(const auto& temperature, const auto& p) const {
    const auto e = saturation_pressure(temperature);
    return gas_ratio * e / max(p - e, e);
  }
  /// log theta_e of air at T with the mixing ratio r that is saturated at T_L.
  GOBAN_FUNCTION auto log_theta_e(const auto& temperature, const auto& saturated_at, const auto& p,
                                  const auto& r) const {
    return log(temperature) - kappa * (T(1) - T(0.28) * r) * log(T(1e-3) * p) +
           (T(3376) / saturated_at - T(2.54)) * r * (T(1) + T(0.81) * r);
  }
  /// Where a parcel that rises becomes saturated; not warmer than it is, K.
  GOBAN_FUNCTION auto condensation_temperature(const auto& temperature, const auto& p,
                                               const auto& r) const {
    const auto e = p * r / (gas_ratio + r);
    return min(T(2840) / (T(3.5) * log(temperature) - log(e) - T(4.805)) + T(55), temperature);
  }
  /// T of saturated air of this log theta_e at p, by six steps of Newton's method from `guess`.
  template <int Steps = 6>
  GOBAN_FUNCTION auto temperature(const auto& guess, const auto& log_theta_e, const auto& p) const {
    const auto r = saturation(guess, p), above = guess - T(29.65);
    const auto excess = this->log_theta_e(guess, guess, p, r) - log_theta_e;
    const auto growth = r * (T(1) + r / gas_ratio) * T(17.67 * 243.5) / (above * above);
    const auto slope = T(1) / guess + (T(3376) / guess - T(2.54)) * (T(1) + T(1.62) * r) * growth -
                       T(3376) * r * (T(1) + T(0.81) * r) / (guess * guess);
    const auto next = guess - excess / slope;
    if constexpr (Steps > 1) {
      return temperature<Steps - 1>(next, log_theta_e, p);
    } else {
      return next;
    }
  }
};

/// CAPE [J/kg]: the sum of buoyancy times height where it lifts the parcel; CIN [J/kg]: of what
/// holds it back below the highest level where it is lifted, by mean values of neighbouring levels;
/// both in all cells of the column. Buoyancy is g (T_v' - T_v) / T_v, T_v = T (1 + r / 0.622) / (1
/// + r), without the weight of water. Arguments: the site, pressure [Pa], temperature [K], mixing
/// ratio of vapour, height [m], both results, scratch.
template <class T>
struct LiftParcel {
  T gravity;
  std::int32_t levels;
  Pseudoadiabat<T> air{};

  GOBAN_FUNCTION void forward(auto site, auto pressure, auto temperature, auto vapor, auto height,
                              auto, auto, auto s) const {
    const auto is_lowest = site.index(Axis::z) == 0;
    const auto p = T(0.01) * pressure(), around = temperature() * T(1);
    const auto r = select(is_lowest, max(vapor(), T(1e-8)), s[1].before());
    const auto dry = exp(air.kappa * log(T(1e-3) * p));
    const auto theta = select(is_lowest, around / dry, s[0].before());
    const auto saturated_at = air.condensation_temperature(around, p, r);
    const auto theta_e =
        select(is_lowest, air.log_theta_e(around, saturated_at, p, r), s[2].before());
    const auto unsaturated = theta * dry;
    const auto is_saturated = air.saturation(unsaturated, p) < r;
    const auto hot = select(is_saturated, air.temperature(around, theta_e, p), unsaturated);
    const auto q = select(is_saturated, air.saturation(hot, p), r);
    const auto outside = virtual_temperature(around, max(vapor(), T(0)));
    const auto lift =
        select(is_lowest, 0, gravity * (virtual_temperature(hot, q) - outside) / outside);
    const auto rise = T(0.5) * (height() - height(0, 0, -1));
    const auto lifted = rise * (max(lift, T(0)) + max(s[3].before(), T(0)));
    const auto held = rise * (max(-lift, T(0)) + max(-s[3].before(), T(0)));
    const auto waiting = select(is_lowest, 0, s[6].before() + held);
    const auto is_lifted = lift > T(0);
    s[0] = theta;
    s[1] = r;
    s[2] = theta_e;
    s[3] = lift;
    s[4] = select(is_lowest, 0, s[4].before() + lifted);
    s[5] = select(is_lowest, 0, s[5].before() + select(is_lifted, waiting, 0));
    s[6] = select(is_lifted, 0, waiting);
  }
  GOBAN_FUNCTION void backward(auto site, auto, auto, auto, auto, auto cape, auto cin,
                               auto s) const {
    spread_down<4>(site, levels, s, cape, cin);
  }

 private:
  GOBAN_FUNCTION auto virtual_temperature(const auto& temperature, const auto& r) const {
    return temperature * (T(1) + r / air.gas_ratio) / (T(1) + r);
  }
};

}  // namespace goban::atmosphere
