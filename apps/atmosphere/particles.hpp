#pragma once
// Rain drops, snow and graupel as their sizes are distributed: N(D) = N_0 exp(-D / l), with the
// numbers of Hong and Lim (J. Korean Meteor. Soc. 42 (2006) 129); drops after Marshall and Palmer.

#include <numbers>

#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/mathematics/functions.hpp"

namespace goban::atmosphere {

/// Spheres of one kind; they fall with a D^b (rho_0 / rho)^(1/2). T: float or double.
template <class T>
struct Particles {
  T intercept;                   ///< N_0, 1/m4
  T density;                     ///< kg/m3
  T fall_factor, fall_exponent;  ///< a [m^(1-b)/s], b

  /// l [m] of `content` kg in a m3 of air, by pi density N_0 l^4 = content; N_0 is `many` times
  /// what it is above.
  GOBAN_FUNCTION auto mean_diameter(const auto& content, const auto& many) const {
    const T of_one = static_cast<T>(std::numbers::pi) * density * intercept;
    return sqrt(sqrt(content / (of_one * many)));
  }
};

template <class T>
inline constexpr Particles<T> rain_drops{T(8e6), T(1000), T(841.9), T(0.8)};
template <class T>
inline constexpr Particles<T> snow_flakes{T(2e6), T(100), T(11.72), T(0.41)};
template <class T>
inline constexpr Particles<T> graupel_grains{T(4e6), T(500), T(330), T(0.8)};

inline constexpr double melting_point = 273.15;  ///< K

/// N_0 of snow over that at the melting point: exp(0.12 (T_0 - T)), from 1 to 5e4 (Hong, Dudhia,
/// Chen, Mon. Weather Rev. 132 (2004) 103, equation 6).
template <class T>
GOBAN_FUNCTION auto snow_number(const auto& temperature) {
  return exp(T(0.12) * min(max(static_cast<T>(melting_point) - temperature, T(0)), T(90.16)));
}

}  // namespace goban::atmosphere
