#pragma once
// Sides that are not periodic. On their faces pressure does not push: the cell beyond is a mirror
// image. What the rate of the momentum through a face is there says what kind of side it is.

#include "atmosphere/advection.hpp"
#include "atmosphere/pressure.hpp"

namespace goban::atmosphere {

/// The rate through an open side along A, of the upper side if IsUpper: waves leave with the wind
/// and `speed` (Klemp, Wilhelmson, J. Atmos. Sci. 35 (1978) 1070): dU/dt = -c d_A U, c = u - speed,
/// at most 0, on the lower side, u + speed, at least 0, on the upper; U = G rho (u - u_b) + G rho
/// u_b, of which the second does not change.
template <Axis A, bool IsUpper, class Real>
struct Radiate {
  Real per_h, speed;  ///< 1/m, m/s

  GOBAN_FUNCTION void operator()(auto u, auto base, auto mass, auto r, auto rate) const {
    const auto excess = [&](int n) { return u.shift(A, n)() - base.shift(A, n)(); };
    const auto carried = average<A, Onto::face>(mass) + average<A, Onto::face>(r);
    if constexpr (IsUpper) {
      const auto c = max(u() + speed, Real(0));
      rate = -per_h * carried * c * (excess(0) - excess(-1));
    } else {
      const auto c = min(u() - speed, Real(0));
      rate = -per_h * carried * c * (excess(1) - excess(0));
    }
  }
};

/// The rate through a wall, or through a side that is held at the base state.
struct Hold {
  GOBAN_FUNCTION void operator()(auto rate) const { rate = 0; }
};

/// How fast air near a side along A goes back to the base state: rate (1 - d / depth)^2, d the
/// distance from the side.
template <Axis A, bool IsUpper, class Real>
struct Nearness {
  Real rate;       ///< 1/s, at the side
  Real per_depth;  ///< h / depth
  std::int32_t cells;

  /// `place`: of the value in its cell, from the lower face.
  GOBAN_FUNCTION auto operator()(const auto& site, Real place = Real(0.5)) const {
    const auto from_low = convert<Real>(site.index(A)) + place;
    const auto rows = IsUpper ? static_cast<Real>(cells) - from_low : from_low * Real(1);
    const auto nearness = max(1 - per_depth * rows, Real(0));
    return rate * (nearness * nearness);
  }
};

/// Adds it to all rates.
template <Axis A, bool IsUpper, class Real>
struct Relax {
  Nearness<A, IsUpper, Real> nearness;

  GOBAN_FUNCTION void operator()(auto site, auto r, auto th, auto U, auto V, auto W, auto mass,
                                 auto stretch, auto base_u, auto base_v, auto rate_r, auto rate_th,
                                 auto rate_U, auto rate_V, auto rate_W) const {
    const auto k = nearness(site);
    rate_r += -k * r();
    rate_th += -k * th();
    const auto k_x = nearness(site, A == Axis::x ? Real(0) : Real(0.5));
    const auto k_y = nearness(site, A == Axis::y ? Real(0) : Real(0.5));
    rate_U += -k_x * (U() - base_u() * average<Axis::x, Onto::face>(mass));
    rate_V += -k_y * (V() - base_v() * average<Axis::y, Onto::face>(mass));
    const auto G = 0.5 * (stretch() + stretch(0, 0, -1));
    rate_W += select(site.index(Axis::z) == 0, 0, -k * (G * W()));
  }
};

/// The same toward a larger model, `share` of the way from what it was to what it will be: theta
/// and pressure, given as deviations from the base state, and the wind in cells.
template <Axis A, bool IsUpper, class Real>
struct RelaxToLarger {
  Nearness<A, IsUpper, Real> nearness;
  Real gamma;

  GOBAN_FUNCTION void operator()(auto site, auto r, auto th, auto U, auto V, auto W, auto mass,
                                 auto base_heat, auto base_p, auto stretch, auto theta, auto p,
                                 auto u, auto v, auto next_theta, auto next_p, auto next_u,
                                 auto next_v, auto share, auto rate_r, auto rate_th, auto rate_U,
                                 auto rate_V, auto rate_W) const {
    const auto between = [&](const auto& before, const auto& after) {
      return before() + share() * (after() - before());
    };
    const auto warmer = between(theta, next_theta) * mass() / base_heat();
    const auto hotter = power_minus_one(between(p, next_p) / base_p(), Real(1) / gamma);
    const auto k = nearness(site);
    rate_r += k * (mass() * (hotter - warmer) / (Real(1) + warmer) - r());
    rate_th += k * (base_heat() * hotter - th());
    const auto wind = [&]<Axis B>(const auto& now, const auto& after, const auto& momentum) {
      const auto here = average<B, Onto::face>(now), there = average<B, Onto::face>(after);
      const auto carried = average<B, Onto::face>(mass) + average<B, Onto::face>(r);
      return (here + share() * (there - here)) * carried - momentum();
    };
    rate_U += nearness(site, A == Axis::x ? Real(0) : Real(0.5)) *
              wind.template operator()<Axis::x>(u, next_u, U);
    rate_V += nearness(site, A == Axis::y ? Real(0) : Real(0.5)) *
              wind.template operator()<Axis::y>(v, next_v, V);
    const auto G = 0.5 * (stretch() + stretch(0, 0, -1));
    rate_W += select(site.index(Axis::z) == 0, 0, -k * (G * W()));
  }
};

/// The rate through a side of a larger model along A: its wind in the nearest cell, at once.
template <Axis A, bool IsUpper, class Real>
struct BringIn {
  Real per_dt;

  GOBAN_FUNCTION void operator()(auto U, auto mass, auto r, auto u, auto next_u, auto share,
                                 auto rate) const {
    constexpr int inside = IsUpper ? -1 : 0;
    const auto here = u.shift(A, inside)(), there = next_u.shift(A, inside)();
    const auto carried = average<A, Onto::face>(mass) + average<A, Onto::face>(r);
    rate = per_dt * ((here + share() * (there - here)) * carried - U());
  }
};

/// The same of water, in a step of dt: its share of all there is goes back to that of the base
/// state.
template <Axis A, bool IsUpper, class Real>
struct RelaxWater {
  Nearness<A, IsUpper, Real> nearness;
  Real dt;

  GOBAN_FUNCTION void operator()(auto site, auto mass, auto r, auto base, auto water) const {
    const auto k = dt * nearness(site);
    water += k * (base() * (mass() + r()) - water());
  }
};

/// The same toward a larger model.
template <Axis A, bool IsUpper, class Real>
struct RelaxWaterToLarger {
  Nearness<A, IsUpper, Real> nearness;
  Real dt;

  GOBAN_FUNCTION void operator()(auto site, auto mass, auto r, auto q, auto next_q, auto share,
                                 auto water) const {
    const auto k = dt * nearness(site);
    water += k * ((q() + share() * (next_q() - q())) * (mass() + r()) - water());
  }
};

}  // namespace goban::atmosphere
