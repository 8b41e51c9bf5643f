#pragma once
// The physics: what one sweep does to one cell. f_q are populations less their value at rest, as
// in collisions.hpp; streaming pulls, f_q comes from the cell at -c_q.

#include "lbm/cell.hpp"
#include "lbm/collisions.hpp"

namespace goban::lbm {

/// A step where all is fluid. Moves 2 Lattice::size numbers a cell. Reads every population at one
/// place, so that it works in place, too.
template <class Lattice, class Collision, class Force = NoForce>
struct StreamCollide {
  Collision collision;
  Force force;

  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    decltype(f[0]()) g[Lattice::size];
    unroll<Lattice::size>([&](auto q) {
      constexpr Velocity c = Lattice::velocity(q);
      g[q] = f[q](-c[0], -c[1], -c[2]);
    });
    collision.template collide<Lattice>(g, force);
    unroll<Lattice::size>([&](auto q) { next[q] = g[q]; });
  }
};

/// Part of rho - 1 that an outflow takes away. 1 would hold the density at 1 and throw back 97 % of
/// a pulse of sound of 20 cells (standard deviation) and 55 % of one of 3 cells. This lets sound
/// out (12 % and 5 % come back), as the relaxed pressure of Poinsot and Lele, J. Comput. Phys. 101
/// (1992) 104, does, and still ties the mean pressure down.
inline constexpr double outflow_relaxation = 0.005;

/// A step among walls, with a body force. Where the cell at -c_q is
///   a wall    f_q = f_q' + 6 w_q c_q . u_wall, half-way bounce-back (Ladd, J. Fluid Mech. 271
///             (1994) 285), q' the opposite velocity;
///   outflow   f_q = f_q^eq(rho', u'), rho' - 1 a little less than rho - 1 of the cell itself, u'
///             its velocity; anti-bounce-back oscillates near tau = 1/2.
/// What flows back in through an outflow, behind a vortex say, comes from fluid at rest of density
/// 1: with the speed and density of the cell itself it would speed itself up without bound.
template <class Lattice, class Collision, class Real>
struct StreamBounceCollide {
  Collision collision;
  BodyForce<Real> force;

  GOBAN_FUNCTION void operator()(auto f, auto type, auto next) const {
    decltype(f[0]()) own[Lattice::size], g[Lattice::size];
    advance(f, type, own, g);
    const auto is_fluid = type() == cell::fluid;
    unroll<Lattice::size>([&](auto q) { next[q] = select(is_fluid, g[q], own[q]); });
  }

  /// Populations of a cell of fluid before (`own`) and after the step (`g`).
  template <class Value>
  [[gnu::always_inline]] GOBAN_FUNCTION void advance(auto f, auto type, Value (&own)[Lattice::size],
                                                     Value (&g)[Lattice::size]) const {
    unroll<Lattice::size>([&](auto q) { own[q] = f[q](); });
    const auto m = moments<Lattice, Collided::yes>(own, force);
    auto outside = m;
    outside.excess = (1 - outflow_relaxation) * m.excess;
    rest_where_it_enters(type, outside);
    g[0] = own[0];
    unroll<Lattice::size - 1>([&](auto next_q) {
      constexpr int q = next_q + 1;
      constexpr Velocity c = Lattice::velocity(q);
      const auto from = type(-c[0], -c[1], -c[2]);
      const auto pulled = f[q](-c[0], -c[1], -c[2]);
      const auto back = own[opposite(q)];
      const auto opened = equilibrium<Lattice, q>(outside);
      g[q] =
          select(from == cell::fluid, pulled, select(from == cell::outflow, opened, back + pulled));
    });
    collision.template collide<Lattice>(g, force);
  }

 private:
  template <class Value>
  [[gnu::always_inline]] GOBAN_FUNCTION static void rest_where_it_enters(auto type,
                                                                         Moments<Value>& outside) {
    Value outward(0);
    unroll<Lattice::dimensions>([&](auto a) {
      const Value u = outside.u[a];
      const auto above = type.shift(all_axes[a], 1)(), below = type.shift(all_axes[a], -1)();
      outward = select(above == cell::outflow, min(outward, u), outward);
      outward = select(below == cell::outflow, min(outward, -u), outward);
    });
    const auto enters = outward < 0;
    outside.excess = select(enters, Value(0), outside.excess);
    outside.rho = 1 + outside.excess;
    outside.uu = select(enters, Value(0), outside.uu);
    unroll<Lattice::dimensions>(
        [&](auto a) { outside.u[a] = select(enters, Value(0), outside.u[a]); });
  }
};

/// Density (1 at rest), pressure less that at rest and velocity in units of the case, of
/// populations after the collision. Walls show their own velocity.
template <class Lattice, class Real>
struct Observe {
  BodyForce<Real> force;
  Real speed{};   ///< a cell per step
  Real stress{};  ///< a third of the density at rest times the square of `speed`

  GOBAN_FUNCTION void operator()(auto f, auto type, auto density, auto pressure,
                                 auto velocity) const {
    decltype(f[0]()) g[Lattice::size];
    unroll<Lattice::size>([&](auto q) { g[q] = f[q](); });
    const auto m = moments<Lattice, Collided::yes>(g, force);
    const auto is_fluid = type() == cell::fluid;
    density = select(is_fluid, m.rho, 1);
    pressure = select(is_fluid, stress * m.excess, 0);
    unroll<3>([&](auto a) {
      if constexpr (a < Lattice::dimensions) {
        // sum c_q 6 w_q c_q . u = 2 u.
        velocity[a] = speed * select(is_fluid, m.u[a], 0.5 * momentum<Lattice, a>(g));
      } else {
        velocity[a] = 0;
      }
    });
  }
};

/// Curl of a cell-centred velocity by central differences.
template <class Real>
struct Curl {
  std::array<Real, 3> scale{};  ///< 1 / (2 h)

  GOBAN_FUNCTION void operator()(auto u, auto vorticity) const {
    unroll<3>([&](auto a) {
      constexpr int b = (a + 1) % 3, c = (a + 2) % 3;
      constexpr Axis along_b = all_axes[b], along_c = all_axes[c];
      vorticity[a] = scale[b] * (u[c].shift(along_b, 1)() - u[c].shift(along_b, -1)()) -
                     scale[c] * (u[b].shift(along_c, 1)() - u[b].shift(along_c, -1)());
    });
  }
};

/// Force along `direction` that fluid in this cell exerts on obstacles beside it, by momentum
/// exchange (Ladd 1994): -c_q (f_q' + f_q) for every f_q that bounces. The mean over this step and
/// the next, which is computed for it: what walls reflect has a part that changes sign with every
/// step and, near tau = 1/2, hardly decays (Ladd, J. Fluid Mech. 271 (1994) 285); in the
/// sum of two successive steps it vanishes. Pressure counts from that of density 1.
template <class Lattice, class Collision, class Real>
struct PushObstacle {
  StreamBounceCollide<Lattice, Collision, Real> step;
  std::array<Real, 3> direction{};

  GOBAN_FUNCTION auto operator()(auto f, auto type) const {
    decltype(f[0]()) own[Lattice::size], next[Lattice::size], sum(0);
    step.advance(f, type, own, next);
    unroll<Lattice::size - 1>([&](auto next_q) {
      constexpr int q = next_q + 1;
      constexpr Velocity c = Lattice::velocity(q);
      const Real part =
          Real(c[0]) * direction[0] + Real(c[1]) * direction[1] + Real(c[2]) * direction[2];
      const auto touches = type(-c[0], -c[1], -c[2]) == cell::obstacle;
      sum = sum - select(touches, part * (own[opposite(q)] + next[opposite(q)]), 0);
    });
    return select(type() == cell::fluid, sum, 0);
  }
};

/// rho - 1 of a cell of fluid: its sum is the mass less that at rest.
template <class Lattice>
struct ExcessMass {
  GOBAN_FUNCTION auto operator()(auto f, auto type) const {
    auto sum = f[0]();
    unroll<Lattice::size - 1>([&](auto q) { sum = sum + f[q + 1](); });
    return select(type() == cell::fluid, sum, 0);
  }
};

/// rho u^2 / 2 of a cell of fluid, lattice units.
template <class Lattice, class Real>
struct KineticEnergy {
  BodyForce<Real> force;

  GOBAN_FUNCTION auto operator()(auto f, auto type) const {
    decltype(f[0]()) g[Lattice::size];
    unroll<Lattice::size>([&](auto q) { g[q] = f[q](); });
    const auto m = moments<Lattice, Collided::yes>(g, force);
    return select(type() == cell::fluid, m.rho * m.uu / 3, 0);
  }
};

}  // namespace goban::lbm
