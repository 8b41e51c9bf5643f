#pragma once
// Water that the air carries, by the mean mass fluxes of a stage's short steps.
//
// Symbols as in stencils.hpp, with rho the density of all there is and theta that of moist air,
// theta_m (moisture.hpp). Q = G rho q [kg/m3] of vapour, cloud or rain, q = Q / (G rho) being kg
// for a kg of all. F: the mean of G rho u, G rho v and O [kg/(m2 s)]; mass changes by -dt div(F)
// in the stage, so that a uniform q stays what it is.

#include "atmosphere/acoustic.hpp"
#include "atmosphere/moisture.hpp"
#include "atmosphere/stencils.hpp"
#include "atmosphere/turbulence.hpp"

namespace goban::atmosphere {

/// F along levels: the state that the rates belong to and the mean deviation. `share`: 1 over the
/// number of short steps.
template <class Real>
struct MeanAlongLevels {
  Real share;
  GOBAN_FUNCTION void operator()(auto U, auto V, auto sum_U, auto sum_V) const {
    sum_U = U() + share * sum_U();
    sum_V = V() + share * sum_V();
  }
};

/// F through levels.
template <int D, class Real>
struct MeanThroughLevels {
  Real share;
  GOBAN_FUNCTION void operator()(auto site, auto W, auto F_x, auto F_y, auto slope_x, auto slope_y,
                                 auto per_stretch_x, auto per_stretch_y, auto sum_W) const {
    const auto along =
        mass_along_levels<D>(F_x, slope_x, per_stretch_x, F_y, slope_y, per_stretch_y);
    sum_W = select(site.index(Axis::z) == 0, 0, W() + share * sum_W() - along);
  }
};

/// q = Q / (G rho) of all species. `water`: Q, and q to be set.
struct ShareOfMass {
  GOBAN_FUNCTION void operator()(auto mass, auto r, auto... water) const {
    constexpr int species = sizeof...(water) / 2;
    const auto all_mass = mass() + r();
    const auto all = std::tie(water...);
    unroll<species>([&](auto n) { std::get<species + n>(all) = std::get<n>(all)() / all_mass; });
  }
};

/// What a cell gains of the water with mixing ratio q in dt, by limited values on faces.
template <int D, class Real>
struct WaterFlux {
  std::array<Real, 3> dt_per_h;  ///< s/m
  std::array<Real, 3> per_h;     ///< 1/m
  std::int32_t last_level;
  Real base_share;  ///< as in SpreadMomentum

  /// Through the lower face along B, n cells further [kg/m3]: dt F q / h, and what eddies spread
  /// of the excess over the base state, where there are any.
  template <Axis B>
  GOBAN_FUNCTION auto through(const auto& site, const auto& fluxes, const auto& q, int n,
                              const auto&... eddies) const {
    const auto flux = along<B>(fluxes).shift(B, n)();
    const Real share = dt_per_h[static_cast<std::size_t>(index_of(B))];
    const auto carried_along =
        share * flux * carried<B, Limit::koren>(site, q, flux, n, last_level);
    if constexpr (sizeof...(eddies) == 0) {
      return carried_along;
    } else {
      return carried_along + share * spread<B>(q, n, eddies...);
    }
  }

 private:
  template <Axis B>
  GOBAN_FUNCTION auto spread(const auto& q, int n, const auto& kappa, const auto& mass,
                             const auto& stretch, const auto& base, const auto&... area) const {
    const auto excess = [&](int i) { return q.shift(B, i)() - base_share * base.shift(B, i)(); };
    return spread_through<B>(per_h, kappa, mass, stretch, n, excess, area...);
  }
};

/// The share of what would leave a cell that may: no more than there is, less a millionth, which
/// is more than rounding errors. `eddies`: none, or kappa, G rho of the base state, G, q of the
/// base state and, on a map, its area.
template <int D, class Real>
struct LimitOutflow {
  WaterFlux<D, Real> flux;

  GOBAN_FUNCTION void operator()(auto site, auto F_x, auto F_y, auto F_z, auto q, auto water,
                                 auto share, auto... eddies) const {
    const auto fluxes = std::tie(F_x, F_y, F_z);
    const auto leaves = sum_over_axes<D>([&](auto b) {
      constexpr Axis B = all_axes[b];
      return max(-flux.template through<B>(site, fluxes, q, 0, eddies...), Real(0)) +
             max(flux.template through<B>(site, fluxes, q, 1, eddies...), Real(0));
    });
    share = share_that_may_leave<Real>(Real(1 - 1e-6) * water(), leaves);
  }
};

/// Q after dt, from the Q with which the step began and q of the stage; IsLimited: by fluxes of
/// which the cell that they leave lets `share` go.
template <int D, bool IsLimited, class Real>
struct CarryWater {
  WaterFlux<D, Real> flux;

  GOBAN_FUNCTION void operator()(auto site, auto F_x, auto F_y, auto F_z, auto q, auto water,
                                 auto share, auto next, auto... eddies) const {
    const auto fluxes = std::tie(F_x, F_y, F_z);
    next = water() + sum_over_axes<D>([&](auto b) {
             constexpr Axis B = all_axes[b];
             const auto through = [&](int n) {
               const auto all = flux.template through<B>(site, fluxes, q, n, eddies...);
               if constexpr (IsLimited) {
                 return all * select(all > 0, share.shift(B, n - 1)(), share.shift(B, n)());
               } else {
                 return all;
               }
             };
             return through(0) - through(1);
           });
  }
};

}  // namespace goban::atmosphere
