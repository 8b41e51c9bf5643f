#pragma once
// The equation of state, forces of pressure, and what terrain-following levels make of a wind.
// Symbols: stretch G = dz/ds, s the height of levels over flat ground; slope z_A = dz/dA along A =
// x, y at constant s, at the lower faces along A and along z; U_A = G rho u_A.

#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/site.hpp"

namespace goban::atmosphere {

/// (1 + x)^gamma - 1, to the last digits of small x, too: expm1(gamma log1p(x)), with
/// log1p(x) = x log(u) / (u - 1), u = 1 + x as rounded (Kahan), expm1(y) = tanh(y/2) (exp(y) + 1).
template <class Real>
GOBAN_FUNCTION auto power_minus_one(const auto& x, Real gamma) {
  const auto u = 1 + x;
  const auto rounded = u - 1;
  const auto is_tiny = rounded == 0;
  const auto y = gamma * select(is_tiny, x, log(u) * (x / select(is_tiny, 1, rounded)));
  return tanh(y * Real(0.5)) * (exp(y) + 1);
}

/// d_A (G p) - d_s (z_A p) at the lower face along A: what takes G rho u_A away. Below the
/// ground p is extrapolated from three levels: then the error of the means cancels that of G p, as
/// it does above, where p bends.
template <Axis A, class Real>
GOBAN_FUNCTION auto pressure_force(const auto& site, const auto& stretch, const auto& slope,
                                   const auto& p, Real per_h, Real per_ds) {
  const auto across = per_h * (stretch() * p() - stretch.shift(A, -1)() * p.shift(A, -1)());
  const auto level = [&](int n) { return average<A, Onto::face>(p.shift(Axis::z, n)); };
  const auto here = level(0), above = level(1);
  const auto bottom = select(site.index(Axis::z) == 0, 2 * here - 1.5 * above + 0.5 * level(2),
                             0.5 * (here + level(-1)));
  const auto top = 0.5 * (here + above);
  return across - per_ds * (slope.shift(Axis::z, 1)() * top - slope() * bottom);
}

/// z_A u_A rho at the lower face along z: mass that rises along levels. `per_stretch`: 1/G at the
/// lower faces along A.
template <Axis A>
GOBAN_FUNCTION auto mass_along_slope(const auto& momentum, const auto& slope,
                                     const auto& per_stretch) {
  const auto at_face = [&](int n) {
    const auto u = momentum.shift(A, n), g = per_stretch.shift(A, n);
    return slope.shift(A, n)() * (u() * g() + u.shift(Axis::z, -1)() * g.shift(Axis::z, -1)());
  };
  return 0.25 * (at_face(0) + at_face(1));
}

/// The same of both axes: S, the mass flux of which O = rho w - S goes through levels. Arguments:
/// for x, y the momentum, the slope, 1/G.
template <int D>
GOBAN_FUNCTION auto mass_along_levels(const auto& momentum_x, const auto& slope_x,
                                      const auto& per_stretch_x, const auto& momentum_y,
                                      const auto& slope_y, const auto& per_stretch_y) {
  const auto along_x = mass_along_slope<Axis::x>(momentum_x, slope_x, per_stretch_x);
  if constexpr (D == 3) {
    return along_x + mass_along_slope<Axis::y>(momentum_y, slope_y, per_stretch_y);
  } else {
    return along_x;
  }
}

/// W of air that follows the ground, 0 above.
template <int D>
struct AtGround {
  GOBAN_FUNCTION void operator()(auto site, auto U, auto V, auto slope_x, auto slope_y,
                                 auto per_stretch_x, auto per_stretch_y, auto W) const {
    const auto along = mass_along_levels<D>(U, slope_x, per_stretch_x, V, slope_y, per_stretch_y);
    W = select(site.index(Axis::z) == 0, along, 0);
  }
};

}  // namespace goban::atmosphere
