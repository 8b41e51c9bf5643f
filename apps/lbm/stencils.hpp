#pragma once
// The physics: what one sweep does to one cell. f_q are populations less their value at rest, as
// in collisions.hpp; streaming pulls, f_q comes from the cell at -c_q.

#include "lbm/cell.hpp"
#include "lbm/collisions.hpp"
#include "lbm/wall_shear.hpp"

namespace goban::lbm {

/// A step where all is fluid, driven by a force or not. Moves 2 Lattice::size numbers a cell. Reads
/// every population at one place, so that it works in place, too. Where bodies are suspended
/// (goban/particle/bodies.hpp) it reads the force on each node and stores the velocity that bodies
/// see: 6 numbers more.
template <class Lattice, class Collision>
struct StreamCollide {
  Collision collision;

  GOBAN_FUNCTION void operator()(auto f, auto next) const { advance(f, next, NoForce{}); }
  GOBAN_FUNCTION void operator()(auto f, auto next, auto force_x, auto force_y,
                                 auto force_z) const {
    advance(f, next, body_force(force_x, force_y, force_z));
  }
  GOBAN_FUNCTION void operator()(auto f, auto force, auto next, auto velocity, auto force_x,
                                 auto force_y, auto force_z) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    const auto all = force_at<Value>(force, body_force(force_x, force_y, force_z));
    Value g[Lattice::size];
    pull(f, g);
    const auto m = moments<Lattice>(g, all);
    for (int a = 0; a < 3; ++a) velocity[a] = m.u[a];
    collision.template collide<Lattice>(g, all);
    for (int q = 0; q < Lattice::size; ++q) next[q] = g[q];
  }

 private:
  template <class Force>
  GOBAN_FUNCTION void advance(auto f, auto next, const Force& force) const {
    decltype(f[0]()) g[Lattice::size];
    pull(f, g);
    collision.template collide<Lattice>(g, force);
    for (int q = 0; q < Lattice::size; ++q) next[q] = g[q];
  }
  template <class Value>
  GOBAN_FUNCTION static void pull(auto f, Value (&g)[Lattice::size]) {
    for (int q = 0; q < Lattice::size; ++q) {
      const Velocity c = Lattice::velocity(q);
      g[q] = f[q](-c[0], -c[1], -c[2]);
    }
  }
};

/// A step among walls, with a body force. Where the cell at -c_q is a wall
///   f_q = f_q' + 6 w_q c_q . u_wall, half-way bounce-back (Ladd, J. Fluid Mech. 271 (1994) 285),
///   q'
/// the opposite velocity. Cells that are not fluid keep what they hold. With bodies as
/// StreamCollide.
template <class Lattice, class Collision, class Real>
struct StreamBounceCollide {
  Collision collision;
  BodyForce<Real> force;

  GOBAN_FUNCTION void operator()(auto f, auto type, auto next) const {
    decltype(f[0]()) own[Lattice::size], g[Lattice::size];
    advance(f, type, own, g);
    const auto is_fluid = type() == cell::fluid;
    for (int q = 0; q < Lattice::size; ++q) next[q] = select(is_fluid, g[q], own[q]);
  }

  GOBAN_FUNCTION void operator()(auto f, auto type, auto force_on_nodes, auto next,
                                 auto velocity) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    const BodyForce<Value> all = force_at<Value>(force_on_nodes, force);
    Value own[Lattice::size], g[Lattice::size];
    arrive(f, type, own, g);
    const Moments<Value> m = moments<Lattice>(g, all);
    collision.template collide<Lattice>(g, all);
    const auto is_fluid = type() == cell::fluid;
    for (int a = 0; a < 3; ++a) velocity[a] = select(is_fluid, m.u[a], 0);
    for (int q = 0; q < Lattice::size; ++q) next[q] = select(is_fluid, g[q], own[q]);
  }

  /// Populations of a cell of fluid before (`own`) and after the step (`g`).
  template <class Value>
  GOBAN_FUNCTION void advance(auto f, auto type, Value (&own)[Lattice::size],
                              Value (&g)[Lattice::size]) const {
    arrive(f, type, own, g);
    collision.template collide<Lattice>(g, force);
  }
  /// The same before the collision.
  template <class Value>
  GOBAN_FUNCTION static void arrive(auto f, auto type, Value (&own)[Lattice::size],
                                    Value (&g)[Lattice::size]) {
    for (int q = 0; q < Lattice::size; ++q) own[q] = f[q]();
    g[0] = own[0];
    for (int q = 1; q < Lattice::size; ++q) {
      const Velocity c = Lattice::velocity(q);
      const auto from = type(-c[0], -c[1], -c[2]);
      const auto pulled = f[q](-c[0], -c[1], -c[2]);
      g[q] =
          select(from == cell::fluid || from == cell::outflow, pulled, own[opposite(q)] + pulled);
    }
  }
};

/// The same where what drives the flow varies from step to step: the force of this step, and the
/// velocities of inflows and walls in the next, which their cells make their populations of. Those
/// at rest of an inflow's cell hold its profile and stay.
template <class Lattice, class Collision>
struct StreamBounceCollideNow {
  Collision collision;

  GOBAN_FUNCTION void operator()(auto f, auto type, auto next, auto force_x, auto force_y,
                                 auto force_z, auto in_x, auto in_y, auto in_z, auto wall_x,
                                 auto wall_y, auto wall_z) const {
    using Number = std::remove_cvref_t<decltype(force_x())>;
    const StreamBounceCollide<Lattice, Collision, Number> step{
        collision, body_force(force_x, force_y, force_z)};
    decltype(f[0]()) own[Lattice::size], g[Lattice::size];
    step.advance(f, type, own, g);
    const auto kind = type();
    const auto is_fluid = kind == cell::fluid, is_inflow = kind == cell::inflow,
               is_wall = kind == cell::wall;
    const Number inflow[3] = {in_x(), in_y(), in_z()}, wall[3] = {wall_x(), wall_y(), wall_z()};
    next[0] = select(is_fluid, g[0], own[0]);
    for (int q = 1; q < Lattice::size; ++q) {
      const Number weight(6 * Lattice::weight(q));
      const auto enters = own[0] * (weight * along<Lattice>(inflow, q));
      const auto pushes = weight * along<Lattice>(wall, q);
      next[q] = select(is_fluid, g[q], select(is_inflow, enters, select(is_wall, pushes, own[q])));
    }
  }
};

/// Density (1 at rest), pressure less that at rest and velocity in units of the case, of
/// populations after the collision. Walls show their own velocity.
template <class Lattice, class Real>
struct Observe {
  Real speed{};   ///< a cell per step
  Real stress{};  ///< a third of the density at rest times the square of `speed`

  GOBAN_FUNCTION void operator()(auto f, auto type, auto density, auto pressure, auto velocity,
                                 auto force_x, auto force_y, auto force_z) const {
    const auto force = body_force(force_x, force_y, force_z);
    decltype(f[0]()) g[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) g[q] = f[q]();
    const auto m = moments<Lattice, Collided::yes>(g, force);
    const auto kind = type();
    const auto is_fluid = kind == cell::fluid || kind == cell::outflow;
    density = select(is_fluid, m.rho, 1);
    pressure = select(is_fluid, stress * m.excess, 0);
    for (int a = 0; a < 3; ++a) {
      if (a < Lattice::dimensions) {
        // sum c_q 6 w_q c_q . u = 2 u.
        velocity[a] = speed * select(is_fluid, m.u[a], 0.5 * momentum<Lattice>(g, a));
      } else {
        velocity[a] = 0;
      }
    }
  }
};

/// Apparent viscosity [m2/s] and viscous stress [Pa], xx, yy, zz, xy, xz, yz, of what arrives in
/// the next step; 0 in walls.
template <class Lattice, class Collision, class Real>
struct ObserveStress {
  Collision collision;
  Real stress{};     ///< the density at rest times the square of a cell per step
  Real viscosity{};  ///< a cell squared per step

  GOBAN_FUNCTION void operator()(auto f, auto type, auto apparent_viscosity, auto viscous,
                                 auto force_x, auto force_y, auto force_z) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    using Number = std::remove_cvref_t<decltype(force_x())>;
    const auto force = body_force(force_x, force_y, force_z);
    Value own[Lattice::size], g[Lattice::size];
    StreamBounceCollide<Lattice, Collision, Number>::arrive(f, type, own, g);
    const Moments<Value> m = moments<Lattice>(g, force);
    const auto tau = collision.template relaxation_time<Lattice>(g, m, force);
    const auto sigma = viscous_stress<Lattice>(g, m, tau, force);
    const auto kind = type();
    const auto is_fluid = kind == cell::fluid || kind == cell::outflow;
    apparent_viscosity = select(is_fluid, Value(viscosity * ((tau - Real(0.5)) / 3)), 0);
    for (int n = 0; n < 6; ++n) viscous[n] = select(is_fluid, stress * sigma[n], 0);
  }
};

/// What the fluid exerts on walls along them [Pa], in the cells of fluid beside them; see
/// wall_shear.hpp. Walls lie half a cell away along the mean of the links that meet them.
template <class Lattice>
struct ShearWall {
  GOBAN_FUNCTION void operator()(auto viscous, auto type, auto shear) const {
    using Value = std::remove_cvref_t<decltype(viscous[0]())>;
    const auto is_wall = [&](int q) {
      const Velocity c = Lattice::velocity(q);
      const auto kind = type(c[0], c[1], c[2]);
      return kind == cell::wall || kind == cell::obstacle;
    };
    const auto is_fluid = [&](int q) {
      const Velocity c = Lattice::velocity(q);
      return type(c[0], c[1], c[2]) == cell::fluid;
    };
    Value normal[3] = {Value(0), Value(0), Value(0)}, t[3];
    for (int q = 1; q < Lattice::size; ++q) {
      const auto weight = static_cast<typename Value::Value>(Lattice::weight(q));
      for (int a = 0; a < 3; ++a) {
        const int c = Lattice::velocity(q)[a];
        if (c != 0) normal[a] = normal[a] + select(is_wall(q), c * weight, Value(0));
      }
    }
    const Value square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    const Value half = 0.5 / sqrt(max(square, typename Value::Value(1e-6)));
    const auto is_here = type() == cell::fluid;
    const Value to_wall[3] = {select(is_here, half * normal[0], 0),
                              select(is_here, half * normal[1], 0),
                              select(is_here, half * normal[2], 0)};
    shear_of_wall<Lattice>(viscous, is_fluid, to_wall, t);
    for (int a = 0; a < 3; ++a) shear[a] = t[a];
  }
};

/// Force along `direction` that fluid in this cell exerts on obstacles beside it, by momentum
/// exchange (Ladd 1994): -c_q (f_q' + f_q) for every f_q that bounces. The mean over this step and
/// the next, which is computed for it: what walls reflect has a part that changes sign with every
/// step and, near tau = 1/2, hardly decays (Ladd, J. Fluid Mech. 271 (1994) 285); in the
/// sum of two successive steps it vanishes. Pressure counts from that of density 1.
template <class Lattice, class Collision, class Real>
struct PushObstacle {
  Collision collision;
  std::array<Real, 3> direction{};

  GOBAN_FUNCTION auto operator()(auto f, auto type, auto force_x, auto force_y,
                                 auto force_z) const {
    using Number = std::remove_cvref_t<decltype(force_x())>;
    const StreamBounceCollide<Lattice, Collision, Number> step{
        collision, body_force(force_x, force_y, force_z)};
    decltype(f[0]()) own[Lattice::size], next[Lattice::size], sum(0);
    step.advance(f, type, own, next);
    for (int q = 1; q < Lattice::size; ++q) {
      const Velocity c = Lattice::velocity(q);
      const Real part =
          Real(c[0]) * direction[0] + Real(c[1]) * direction[1] + Real(c[2]) * direction[2];
      const auto touches = type(-c[0], -c[1], -c[2]) == cell::obstacle;
      sum = sum - select(touches, part * (own[opposite(q)] + next[opposite(q)]), 0);
    }
    return select(type() == cell::fluid, sum, 0);
  }
};

/// rho - 1 of a cell of fluid: its sum is the mass less that at rest.
template <class Lattice>
struct ExcessMass {
  GOBAN_FUNCTION auto operator()(auto f, auto type) const {
    auto sum = f[0]();
    for (int q = 1; q < Lattice::size; ++q) sum = sum + f[q]();
    return select(type() == cell::fluid, sum, 0);
  }
};

/// Velocity along `direction` of a cell that flows, lattice units.
template <class Lattice, class Real>
struct VelocityAlong {
  std::array<Real, 3> direction{};

  GOBAN_FUNCTION auto operator()(auto f, auto type, auto force_x, auto force_y,
                                 auto force_z) const {
    decltype(f[0]()) g[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) g[q] = f[q]();
    const auto m = moments<Lattice, Collided::yes>(g, body_force(force_x, force_y, force_z));
    const auto kind = type();
    auto sum = direction[0] * m.u[0];
    for (int a = 1; a < Lattice::dimensions; ++a) sum = sum + direction[a] * m.u[a];
    return select(kind == cell::fluid || kind == cell::outflow, sum, 0);
  }
};

/// rho u^2 / 2 of a cell of fluid, lattice units.
template <class Lattice>
struct KineticEnergy {
  GOBAN_FUNCTION auto operator()(auto f, auto type, auto force_x, auto force_y,
                                 auto force_z) const {
    const auto force = body_force(force_x, force_y, force_z);
    decltype(f[0]()) g[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) g[q] = f[q]();
    const auto m = moments<Lattice, Collided::yes>(g, force);
    return select(type() == cell::fluid, m.rho * m.uu / 3, 0);
  }
};

}  // namespace goban::lbm
