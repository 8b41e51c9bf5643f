#pragma once
// Water that the air carries, by the mean mass fluxes of a stage's short steps.
//
// Symbols as in stencils.hpp, with rho the density of all there is and theta that of moist air,
// theta_m (moisture.hpp). Q = G rho q [kg/m3] of vapour, cloud or rain, q = Q / (G rho) being kg
// for a kg of all. F: the mean of G rho u, G rho v and O [kg/(m2 s)]; mass changes by -dt div(F)
// in the stage, so that a uniform q stays what it is.

#include "atmosphere/acoustic.hpp"
#include "atmosphere/stencils.hpp"
#include "atmosphere/turbulence.hpp"

namespace goban::atmosphere {

/// Sums of U'', V'' and what W'' contributes to O'', before a stage.
struct ForgetFluxes {
  GOBAN_FUNCTION void operator()(auto sum_U, auto sum_V, auto sum_W) const {
    sum_U = 0;
    sum_V = 0;
    sum_W = 0;
  }
};

/// Push, and sums of what it makes.
template <int D, class Real>
struct PushAndSum {
  Push<D, Real> push;

  GOBAN_FUNCTION void operator()(auto site, auto p, auto stretch, auto slope_x, auto slope_y,
                                 auto rate_U, auto rate_V, auto UU, auto VV, auto sum_U,
                                 auto sum_V) const {
    push(site, p, stretch, slope_x, slope_y, rate_U, rate_V, UU, VV);
    sum_U += UU();
    sum_V += VV();
  }
};

/// SolveColumns, and the sum of (1 - beta) W'' + beta W''+.
template <int D, class Real>
struct SolveColumnsAndSum {
  SolveColumns<D, Real> solve;

  GOBAN_FUNCTION void forward(auto site, auto UU, auto VV, auto rate_r, auto rate_th, auto rate_W,
                              auto stretch, auto slope_x, auto slope_y, auto per_stretch_x,
                              auto per_stretch_y, auto theta, auto stiffness, auto sponge,
                              auto star_W, auto WW, auto rr, auto tt, auto next_WW, auto p, auto,
                              auto s) const {
    solve.forward(site, UU, VV, rate_r, rate_th, rate_W, stretch, slope_x, slope_y, per_stretch_x,
                  per_stretch_y, theta, stiffness, sponge, star_W, WW, rr, tt, next_WW, p, s);
  }

  GOBAN_FUNCTION void backward(auto site, auto UU, auto VV, auto rate_r, auto rate_th, auto rate_W,
                               auto stretch, auto slope_x, auto slope_y, auto per_stretch_x,
                               auto per_stretch_y, auto theta, auto stiffness, auto sponge,
                               auto star_W, auto WW, auto rr, auto tt, auto next_WW, auto p,
                               auto sum_W, auto s) const {
    solve.backward(site, UU, VV, rate_r, rate_th, rate_W, stretch, slope_x, slope_y, per_stretch_x,
                   per_stretch_y, theta, stiffness, sponge, star_W, WW, rr, tt, next_WW, p, s);
    sum_W += solve.step.behind * WW() + solve.step.ahead * s[0]();
  }
};

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

/// q = Q / (G rho) of three species.
struct ShareOfMass {
  GOBAN_FUNCTION void operator()(auto vapor, auto cloud, auto rain, auto mass, auto r, auto q_v,
                                 auto q_c, auto q_r) const {
    const auto all = mass() + r();
    q_v = vapor() / all;
    q_c = cloud() / all;
    q_r = rain() / all;
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
                             const auto& stretch, const auto& base) const {
    const auto excess = [&](int i) { return q.shift(B, i)() - base_share * base.shift(B, i)(); };
    return spread_through<B>(per_h, kappa, mass, stretch, n, excess);
  }
};

/// Q after dt, from the Q with which the step began and q of the stage. `eddies`: none, or kappa,
/// G rho of the base state, G, and q of the base state.
template <int D, class Real>
struct CarryWater {
  WaterFlux<D, Real> flux;

  GOBAN_FUNCTION void operator()(auto site, auto F_x, auto F_y, auto F_z, auto q, auto water,
                                 auto next, auto... eddies) const {
    const auto fluxes = std::tie(F_x, F_y, F_z);
    next = water() + sum_over_axes<D>([&](auto b) {
             constexpr Axis B = all_axes[b];
             return flux.template through<B>(site, fluxes, q, 0, eddies...) -
                    flux.template through<B>(site, fluxes, q, 1, eddies...);
           });
  }
};

/// The share of what would leave a cell that may: no more than there is, less a millionth, which
/// is more than rounding errors.
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
    const auto available = Real(1 - 1e-6) * water();
    const auto is_more = leaves > available;
    share = select(is_more, available / select(is_more, leaves, 1), 1);
  }
};

/// CarryWater by fluxes of which the cell that they leave lets this share go.
template <int D, class Real>
struct CarryPositive {
  WaterFlux<D, Real> flux;

  GOBAN_FUNCTION void operator()(auto site, auto F_x, auto F_y, auto F_z, auto q, auto share,
                                 auto water, auto next, auto... eddies) const {
    const auto fluxes = std::tie(F_x, F_y, F_z);
    next = water() + sum_over_axes<D>([&](auto b) {
             constexpr Axis B = all_axes[b];
             const auto through = [&](int n) {
               const auto all = flux.template through<B>(site, fluxes, q, n, eddies...);
               return all * select(all > 0, share.shift(B, n - 1)(), share.shift(B, n)());
             };
             return through(0) - through(1);
           });
  }
};

}  // namespace goban::atmosphere
