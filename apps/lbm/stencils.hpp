#pragma once
// The physics: what one sweep does to one cell. f_q are populations less their value at rest, as
// in collisions.hpp; streaming pulls, f_q comes from the cell at -c_q.

#include "lbm/cell.hpp"
#include "lbm/collisions.hpp"

namespace goban::lbm {

/// A step where all is fluid. Moves 2 Lattice::size numbers a cell.
template <class Lattice, class Collision>
struct StreamCollide {
  Collision collision;

  GOBAN_FUNCTION void operator()(auto f, auto next) const {
    decltype(f[0]()) g[Lattice::size];
    unroll<Lattice::size>([&](auto q) {
      constexpr Velocity c = Lattice::velocity(q);
      g[q] = f[q](-c[0], -c[1], -c[2]);
    });
    collision.template collide<Lattice>(g, NoForce{});
    unroll<Lattice::size>([&](auto q) { next[q] = g[q]; });
  }
};

/// A step among walls, with a body force. Where the cell at -c_q is
///   a wall    f_q = f_q' + 6 w_q c_q . u_wall, half-way bounce-back (Ladd, J. Fluid Mech. 271
///   (1994)
///             285), q' the opposite velocity;
///   outflow   f_q = f_q^eq(1, u), the equilibrium of density 1 and the velocity of the cell
///   itself;
///             anti-bounce-back reflects less sound but oscillates near tau = 1/2.
template <class Lattice, class Collision, class Real>
struct StreamBounceCollide {
  Collision collision;
  BodyForce<Real> force;

  GOBAN_FUNCTION void operator()(auto f, auto type, auto next) const {
    decltype(f[0]()) own[Lattice::size], g[Lattice::size];
    unroll<Lattice::size>([&](auto q) { own[q] = f[q](); });
    const auto m = moments<Lattice, Collided::yes>(own, force);
    g[0] = own[0];
    unroll<Lattice::size - 1>([&](auto next_q) {
      constexpr int q = next_q + 1;
      constexpr Velocity c = Lattice::velocity(q);
      constexpr double w = Lattice::weight(q);
      const auto from = type(-c[0], -c[1], -c[2]);
      const auto pulled = f[q](-c[0], -c[1], -c[2]);
      const auto back = own[opposite(q)];
      const auto cu = along<Lattice, q>(m.u);
      const auto opened = w * (3 * cu + 4.5 * cu * cu - m.uu);
      g[q] =
          select(from == cell::fluid, pulled, select(from == cell::outflow, opened, back + pulled));
    });
    collision.template collide<Lattice>(g, force);
    const auto is_fluid = type() == cell::fluid;
    unroll<Lattice::size>([&](auto q) { next[q] = select(is_fluid, g[q], own[q]); });
  }
};

/// Density (1 at rest) and velocity times `speed`, of populations after the collision. Walls show
/// their own velocity.
template <class Lattice, class Real>
struct Observe {
  BodyForce<Real> force;
  Real speed{};

  GOBAN_FUNCTION void operator()(auto f, auto type, auto density, auto velocity) const {
    decltype(f[0]()) g[Lattice::size];
    unroll<Lattice::size>([&](auto q) { g[q] = f[q](); });
    const auto m = moments<Lattice, Collided::yes>(g, force);
    const auto is_fluid = type() == cell::fluid;
    density = select(is_fluid, m.rho, 1);
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

/// Force along axis A that fluid in this cell exerts on obstacles beside it, by momentum exchange
/// (Ladd 1994): -c_q (f_q' + f_q) for every f_q that bounces. Pressure counts from that of density
/// 1.
template <class Lattice, int A>
struct PushObstacle {
  GOBAN_FUNCTION auto operator()(auto f, auto type) const {
    decltype(f[0]()) sum(0);
    unroll<Lattice::size>([&](auto q) {
      constexpr Velocity c = Lattice::velocity(q);
      if constexpr (c[A] != 0) {
        const auto twice = 2 * f[opposite(q)]();
        const auto touches = type(-c[0], -c[1], -c[2]) == cell::obstacle;
        sum = sum - select(touches, c[A] > 0 ? twice : -twice, 0);
      }
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
