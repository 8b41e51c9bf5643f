#pragma once
// How far what the surface exchanges is mixed upward, where cells are too large for eddies.

#include "goban/stencil/graph/traced_math.hpp"
#include "goban/stencil/mathematics/functions.hpp"
#include "goban/stencil/site.hpp"

namespace goban::atmosphere {

/// nu = kappa = C_D |v_1| z_1 of the lowest level up to 850 hPa, less by exp(-((850 hPa - p) / 100
/// hPa)^2) above (Reed and Jablonowski, J. Adv. Model. Earth Syst. 4 (2012) M04001), and no more
/// than what the time step bears. `drag`: dt C_D |v_1| over the thickness of the lowest level.
template <class Real>
struct BoundaryLayer {
  Real ds, per_dt;
  Real least;  ///< nu of still air, m2/s
  static constexpr Real below = Real(85000), depth = Real(10000), most = Real(0.4);  // Pa, Pa, 1

  GOBAN_FUNCTION void forward(auto site, auto drag, auto pressure, auto stretch, auto nu,
                              auto kappa, auto s) const {
    const auto thickness = ds * stretch();
    const auto lowest = (Real(0.5) * per_dt) * drag() * thickness * thickness;
    const auto strongest = select(site.index(Axis::z) == 0, lowest, s[0].before());
    const auto above = max(below - pressure(), Real(0)) / depth;
    const auto mixing =
        min(least + strongest * exp(-above * above), most * per_dt * (thickness * thickness));
    s[0] = strongest;
    nu = mixing;
    kappa = mixing;
  }
};

}  // namespace goban::atmosphere
