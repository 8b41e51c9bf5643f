#pragma once
// What happens in the air around, of which the grid is a small part: subsidence w [m/s] and rates
// of change that do not depend on what the model computes, both by height alone.
//
//   d(G rho q)/dt += G rho (-w d_z q + rate)
//
// Air that sinks brings the value of the level above, air that rises that of the level below.

#include "atmosphere/moist_cell.hpp"
#include "goban/stencil/operators.hpp"
#include "goban/stencil/staggered.hpp"

namespace goban::atmosphere {

/// -w d_z q of cells, or of faces between columns: of `w` and `stretch` there the values are given.
template <class Real>
GOBAN_FUNCTION auto brought_by_subsidence(Real per_ds, const auto& q, const auto& w,
                                          const auto& stretch) {
  const auto up = max(w, Real(0)), down = min(w, Real(0));
  return (-per_ds / stretch) * (up * (q() - q(0, 0, -1)) + down * (q(0, 0, 1) - q()));
}

/// Adds it to dU_A/dt, A = x, y.
template <Axis A, class Real>
struct ForceWind {
  Real per_ds;

  GOBAN_FUNCTION void operator()(auto u, auto mass, auto r, auto stretch, auto w, auto rate) const {
    const auto at = [](const auto& q) { return average<A, Onto::face>(q); };
    rate += (at(mass) + at(r)) * brought_by_subsidence(per_ds, u, at(w), at(stretch));
  }
};

/// Adds it to d(G rho theta)/dt; `heating`: rate of theta, K/s.
template <class Real>
struct ForceHeat {
  Real per_ds;

  GOBAN_FUNCTION void operator()(auto theta, auto mass, auto r, auto stretch, auto w, auto heating,
                                 auto rate) const {
    rate += (mass() + r()) * (brought_by_subsidence(per_ds, theta, w(), stretch()) + heating());
  }
};

/// Newtonian cooling: adds G rho (theta_eq - theta) / time to d(G rho theta)/dt, of moist air by
/// which theta_m changes with its vapour, theta_m rho = theta (rho_d + gas_ratio rho_v). `water`: Q
/// of all species of moist air.
template <class Real>
struct CoolDown {
  Real per_time, gas_ratio;  ///< 1/s, R_v / R_d

  GOBAN_FUNCTION void operator()(auto r, auto th, auto mass, auto heat, auto equilibrium, auto rate,
                                 auto... water) const {
    rate += per_time * (equilibrium() * weight(mass() + r(), water()...) - (heat() + th()));
  }
  GOBAN_FUNCTION auto weight(const auto& all) const { return all; }
  GOBAN_FUNCTION auto weight(const auto& all, const auto& vapor, const auto&... others) const {
    return all - (vapor + ... + others) + gas_ratio * vapor;
  }
};

/// A step of a species, whose mixing ratio was q: `dry` is the density of dry air. ForceHeat keeps
/// theta_m, G rho theta_m over G rho: what is gained brings heat as it brings mass. `area`: that of
/// a map.
template <class Real>
struct ForceWater {
  Real dt, per_ds;

  GOBAN_FUNCTION void operator()(auto q, auto theta_m, auto dry, auto stretch, auto w, auto r,
                                 auto th, auto water, auto... area) const {
    const auto gained = ((dt * dry() * stretch()) * ... * area()) *
                        brought_by_subsidence(per_ds, q, w(), stretch());
    water += gained;
    r += gained;
    th += gained * theta_m();
  }
};

/// A step of vapour; `moistening`: rate of its mixing ratio, 1/s, at which theta [K] of the air
/// stays.
template <class Real>
struct ForceVapor {
  ForceWater<Real> water;
  Real gas_ratio;

  GOBAN_FUNCTION void operator()(auto q, auto theta_m, auto theta, auto dry, auto stretch, auto w,
                                 auto moistening, auto r, auto th, auto vapor, auto... area) const {
    const auto air = ((water.dt * dry() * stretch()) * ... * area());
    const auto came = air * moistening();
    const auto sank = air * brought_by_subsidence(water.per_ds, q, w(), stretch());
    vapor += came + sank;
    r += came + sank;
    th += gas_ratio * came * theta() + sank * theta_m();
  }
};

}  // namespace goban::atmosphere
