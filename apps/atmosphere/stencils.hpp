#pragma once
// The right-hand side at one time: what one sweep does to one cell and its lower faces.
//
// Symbols: r = G rho' and th = G (rho theta)' [kg/m3, kg K/m3] in cells, primes being deviations
// from the base state; U = G rho u, V = G rho v on the faces they go through, W = rho w [kg/(m2 s)]
// on lower faces. W is held like a value of cells: that of the lid is 0 and lies beyond the end.
// `mass` = G rho and `heat` = G rho theta of the base state. D: dimensions; in the plane of x and z
// nothing changes along y, where there is one cell.
//
// On a map of the scale m (map.hpp) lengths along x and y are those on the map, and r, th and W are
// what is said above times `area`, 1/m^2, that of the earth over that of the map; U = G rho u / m
// and V likewise, with u = U / r that on the map, m times that on the earth. Then mass, heat and
// what they carry obey the equations of a plane; see README.md.

#include "atmosphere/advection.hpp"
#include "atmosphere/pressure.hpp"

namespace goban::atmosphere {

/// What the rates are made of: theta, p' = p expm1(gamma log1p(th / heat)), E = gamma (p + p') /
/// (heat + th) = dp/dth, velocities, and O = W - S, which is 0 at the ground.
template <int D, class Real>
struct Diagnose {
  Real gamma;

  GOBAN_FUNCTION void operator()(auto site, auto r, auto th, auto U, auto V, auto W, auto mass,
                                 auto heat, auto pressure, auto stretch, auto slope_x, auto slope_y,
                                 auto per_stretch_x, auto per_stretch_y, auto theta, auto p,
                                 auto stiffness, auto u, auto v, auto w, auto O) const {
    const auto all_heat = heat() + th();
    const auto change = pressure() * power_minus_one(th() / heat(), gamma);
    theta = all_heat / (mass() + r());
    p = change;
    stiffness = gamma * (pressure() + change) / all_heat;
    const auto total = [&](Axis axis, int n) { return mass.shift(axis, n)() + r.shift(axis, n)(); };
    u = 2 * U() / (total(Axis::x, 0) + total(Axis::x, -1));
    v = 2 * V() / (total(Axis::y, 0) + total(Axis::y, -1));
    const auto density = [&](int n) { return total(Axis::z, n) / stretch.shift(Axis::z, n)(); };
    w = 2 * W() / (density(0) + density(-1));
    const auto along = mass_along_levels<D>(U, slope_x, per_stretch_x, V, slope_y, per_stretch_y);
    O = select(site.index(Axis::z) == 0, 0, W() - along);
  }
};

/// Numbers that all rates need.
template <class Real>
struct Rates {
  std::array<Real, 3> per_h;  ///< 1/m
  std::int32_t levels;
};

/// -div(rho u q) for what lies on lower faces along A (momentum) ...
template <Axis A, int D, class Real>
GOBAN_FUNCTION auto momentum_gain(const Rates<Real>& numbers, const auto& site, const auto& fluxes,
                                  const auto& q) {
  return sum_over_axes<D>([&](auto b) {
    constexpr Axis B = all_axes[b];
    const auto& carrier = along<B>(fluxes);
    const std::int32_t ends = numbers.levels - (A == B ? 0 : 1);
    const auto through = [&](int n) {
      const auto flux = [&] {
        if constexpr (A == B)
          return average<A, Onto::center>(carrier.shift(B, n - 1));
        else
          return average<A, Onto::face>(carrier.shift(B, n));
      }();
      return flux * carried<B, Limit::none>(site, q, flux, n, ends);
    };
    return numbers.per_h[static_cast<std::size_t>(b)] * (through(0) - through(1));
  });
}

/// dU_A/dt along A = x, y: advection and pressure.
template <Axis A, int D, class Real>
struct HorizontalRate {
  Rates<Real> numbers;

  GOBAN_FUNCTION void operator()(auto site, auto U, auto V, auto O, auto u, auto p, auto stretch,
                                 auto slope, auto rate) const {
    const auto fluxes = std::tie(U, V, O);
    rate =
        momentum_gain<A, D>(numbers, site, fluxes, u) -
        pressure_force<A>(site, stretch, slope, p,
                          numbers.per_h[static_cast<std::size_t>(index_of(A))], numbers.per_h[2]);
  }
};

/// G dW/dt = -div - d_s p' - g G rho' at faces above the ground; rho' = r / G. On a map `area`, by
/// which p' counts.
template <int D, class Real>
struct VerticalRate {
  Rates<Real> numbers;
  Real gravity;

  GOBAN_FUNCTION void operator()(auto site, auto U, auto V, auto O, auto w, auto p, auto r,
                                 auto stretch, auto rate, auto... area) const {
    const auto fluxes = std::tie(U, V, O);
    const auto below_stretch = stretch.shift(Axis::z, -1), below_r = r.shift(Axis::z, -1);
    const auto weight = (Real(0.25) * gravity) * (stretch() + below_stretch()) *
                        (r() / stretch() + below_r() / below_stretch());
    const auto all = momentum_gain<Axis::z, D>(numbers, site, fluxes, w) -
                     ((numbers.per_h[2] * d<Axis::z, 2, Onto::face>(p)) * ... * area()) - weight;
    rate = select(site.index(Axis::z) == 0, 0, all);
  }
};

/// dr/dt = -div(U, V, O), dth/dt = -div of the same times theta.
template <int D, Limit L, class Real>
struct CellRates {
  Rates<Real> numbers;

  GOBAN_FUNCTION void operator()(auto site, auto U, auto V, auto O, auto theta, auto rate_r,
                                 auto rate_th) const {
    const auto fluxes = std::tie(U, V, O);
    const auto gain = [&](const auto& value) {
      return sum_over_axes<D>([&](auto b) {
        constexpr Axis B = all_axes[b];
        const auto through = [&](int n) {
          const auto flux = along<B>(fluxes).shift(B, n)();
          return value(b, flux, n);
        };
        return numbers.per_h[static_cast<std::size_t>(b)] * (through(0) - through(1));
      });
    };
    rate_r = gain([](auto, const auto& flux, int) { return flux; });
    rate_th = gain([&](auto b, const auto& flux, int n) {
      return flux * carried<all_axes[b], L>(site, theta, flux, n, numbers.levels - 1);
    });
  }
};

}  // namespace goban::atmosphere
