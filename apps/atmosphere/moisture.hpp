#pragma once
// Thermodynamics of air with water: dry air and vapour are ideal gases, cloud and rain water have
// no volume.

#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/mathematics/functions.hpp"

namespace goban::atmosphere {

/// The share that may leave of what `leaves`: `all` at most.
template <class T>
GOBAN_FUNCTION auto share_that_may_leave(const auto& all, const auto& leaves) {
  const auto is_more = leaves > all;
  return select(is_more, all / select(is_more, leaves, T(1)), T(1));
}

/// The numbers of air and what they say of one cell. rho is the density of all there is, q_v and
/// q_l = q_c + q_r are mixing ratios: kg for a kg of dry air. T: float or double.
template <class T>
struct MoistAir {
  T gas_constant = T(287);           ///< R_d, J/(kg K)
  T vapor_gas_constant = T(461.5);   ///< R_v, J/(kg K)
  T heat_capacity = T(1004.5);       ///< c_p of dry air, J/(kg K)
  T liquid_heat_capacity = T(4186);  ///< c_l, J/(kg K)
  T latent_heat = T(2.5e6);          ///< L of vaporization, J/kg
  T reference_pressure = T(1e5);     ///< p_0, Pa

  /// theta_m / theta = rho_d / rho + (R_v / R_d) rho_v / rho.
  GOBAN_FUNCTION auto theta_ratio(const auto& q_v, const auto& q_l) const {
    const T ratio = vapor_gas_constant / gas_constant;
    return (T(1) + ratio * q_v) / (T(1) + q_v + q_l);
  }

  /// pi = (p / p_0)^(R_d / c_p) from the equation of state p = R_d pi rho theta_m:
  ///   pi = (R_d rho theta_m / p_0)^(R_d / (c_p - R_d)).
  GOBAN_FUNCTION auto exner(const auto& rho_theta) const {
    const T exponent = gas_constant / (heat_capacity - gas_constant);
    return pow(gas_constant / reference_pressure * rho_theta, exponent);
  }

  /// p = p_0 pi^(c_p / R_d), Pa.
  GOBAN_FUNCTION auto pressure(const auto& exner) const {
    return reference_pressure * pow(exner, heat_capacity / gas_constant);
  }

  /// Equivalent potential temperature of saturated air [K], what reversible ascent keeps (Bryan and
  /// Fritsch, Mon. Weather Rev. 130 (2002) 2917, equation 23), with L constant:
  ///   theta_e = T (p_d / p_0)^(-R_d / c) exp(L q_v / (c T)),  c = c_p + c_l (q_v + q_l),
  /// p_d = p / (1 + q_v R_v / R_d) the pressure of dry air alone.
  GOBAN_FUNCTION auto equivalent_theta(const auto& temperature, const auto& pressure,
                                       const auto& q_v, const auto& q_l) const {
    const auto capacity = heat_capacity + liquid_heat_capacity * (q_v + q_l);
    const auto of_dry_air =
        pressure / (reference_pressure * (T(1) + vapor_gas_constant / gas_constant * q_v));
    return temperature * pow(of_dry_air, -gas_constant / capacity) *
           exp(latent_heat * q_v / (capacity * temperature));
  }
};

/// theta_m of what the dry core advects. Arguments: theta [K], q_v, q_c, q_r, theta_m [K].
template <class T>
struct MoistTheta {
  MoistAir<T> air{};
  GOBAN_FUNCTION void operator()(auto theta, auto vapor, auto cloud, auto rain, auto moist) const {
    moist = theta() * air.theta_ratio(vapor(), cloud() + rain());
  }
};

}  // namespace goban::atmosphere
