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
  /// On the faces along an axis.
  GOBAN_FUNCTION auto on_faces(const auto& site, Axis axis) const {
    return (*this)(site, A == axis ? Real(0) : Real(0.5));
  }
};

/// What air near a side goes back to: r, th, U and V of the base state, whose wind lies on faces
/// ...
struct TowardBase {
  GOBAN_FUNCTION auto operator()(const auto& mass, const auto&, const auto& base_u,
                                 const auto& base_v) const {
    return std::tuple{0, 0, base_u() * average<Axis::x, Onto::face>(mass),
                      base_v() * average<Axis::y, Onto::face>(mass)};
  }
};

/// `share` of the way from what a larger model was to what it will be.
GOBAN_FUNCTION auto between(const auto& share, const auto& before, const auto& after) {
  return before + share() * (after - before);
}

/// ... or of a larger model: theta and pressure, given as deviations from the base state, and the
/// wind, all in cells.
template <class Real>
struct TowardLarger {
  Real gamma;

  GOBAN_FUNCTION auto operator()(const auto& mass, const auto& r, const auto& base_heat,
                                 const auto& base_p, const auto& share, const auto& theta,
                                 const auto& p, const auto& u, const auto& v,
                                 const auto& next_theta, const auto& next_p, const auto& next_u,
                                 const auto& next_v) const {
    const auto warmer = between(share, theta(), next_theta()) * mass() / base_heat();
    const auto hotter = power_minus_one(between(share, p(), next_p()) / base_p(), Real(1) / gamma);
    const auto wind = [&]<Axis A>(const auto& now, const auto& after) {
      const auto carried = average<A, Onto::face>(mass) + average<A, Onto::face>(r);
      return between(share, average<A, Onto::face>(now), average<A, Onto::face>(after)) * carried;
    };
    return std::tuple{mass() * (hotter - warmer) / (Real(1) + warmer), base_heat() * hotter,
                      wind.template operator()<Axis::x>(u, next_u),
                      wind.template operator()<Axis::y>(v, next_v)};
  }
};

/// The state at first: r and th of a larger model or, with First = 2, its U and V at the density r.
template <int First, class Goal>
struct BeginAs {
  Goal goal;

  GOBAN_FUNCTION void operator()(auto one, auto other, auto mass, auto r, auto... of_goal) const {
    const auto all = goal(mass, r, of_goal...);
    one = std::get<First>(all);
    other = std::get<First + 1>(all);
  }
};

/// What lies between two records; times G rho where it is given, of the base state and r.
struct Between {
  GOBAN_FUNCTION void operator()(auto value, auto share, auto before, auto after,
                                 auto... mass) const {
    const auto now = between(share, before(), after());
    if constexpr (sizeof...(mass) == 0) {
      value = now;
    } else {
      value = now * (mass() + ...);
    }
  }
};

/// Adds it to all rates.
template <class Near, class Goal>
struct Relax {
  Near nearness;
  Goal goal;

  GOBAN_FUNCTION void operator()(auto site, auto r, auto th, auto U, auto V, auto W, auto rate_r,
                                 auto rate_th, auto rate_U, auto rate_V, auto rate_W, auto stretch,
                                 auto mass, auto... of_goal) const {
    const auto [goal_r, goal_th, goal_U, goal_V] = goal(mass, r, of_goal...);
    const auto k = nearness(site);
    rate_r += -k * (r() - goal_r);
    rate_th += -k * (th() - goal_th);
    rate_U += -nearness.on_faces(site, Axis::x) * (U() - goal_U);
    rate_V += -nearness.on_faces(site, Axis::y) * (V() - goal_V);
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
    const auto wind = between(share, u.shift(A, inside)(), next_u.shift(A, inside)());
    const auto carried = average<A, Onto::face>(mass) + average<A, Onto::face>(r);
    rate = per_dt * (wind * carried - U());
  }
};

/// The same of water, in a step of dt: its share of all there is goes back to that of the base
/// state, or to that of a larger model.
template <class Near, class Real>
struct RelaxWater {
  Near nearness;
  Real dt;

  GOBAN_FUNCTION void operator()(auto site, auto mass, auto r, auto water, auto... q) const {
    const auto k = dt * nearness(site);
    water += k * (goal(q...) * (mass() + r()) - water());
  }
  GOBAN_FUNCTION auto goal(const auto& base) const { return base(); }
  GOBAN_FUNCTION auto goal(const auto& share, const auto& q, const auto& next_q) const {
    return between(share, q(), next_q());
  }
};

}  // namespace goban::atmosphere
