#pragma once
// Steps of a fluid in which bodies are suspended (goban/particle/bodies.hpp): the force on each
// node is a field, and the velocity that bodies see is stored with the populations.

#include "lbm/stencils.hpp"

namespace goban::lbm {

/// Force densities of a field and of a drive that is the same everywhere.
template <class Real, class Value>
GOBAN_FUNCTION BodyForce<Value> force_at(auto force, const BodyForce<Real>& drive) {
  BodyForce<Value> all;
  for (int a = 0; a < 3; ++a) all.density[a] = force[a]() + drive.density[a];
  return all;
}

/// StreamCollide where bodies are: moves 2 Lattice::size + 6 numbers a cell.
template <class Lattice, class Collision, class Real>
struct StreamCollideAround {
  Collision collision;
  BodyForce<Real> drive;

  GOBAN_FUNCTION void operator()(auto f, auto force, auto next, auto velocity) const {
    using Value = decltype(f[0]());
    Value g[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) {
      const Velocity c = Lattice::velocity(q);
      g[q] = f[q](-c[0], -c[1], -c[2]);
    }
    const auto all = force_at<Real, Value>(force, drive);
    const Moments<Value> m = moments<Lattice>(g, all);
    for (int a = 0; a < 3; ++a) velocity[a] = m.u[a];
    collision.template collide<Lattice>(g, all);
    for (int q = 0; q < Lattice::size; ++q) next[q] = g[q];
  }
};

/// StreamBounceCollide where bodies are. Cells that are not fluid keep what they hold; bodies are
/// told of them by their type.
template <class Lattice, class Collision, class Real>
struct StreamBounceCollideAround {
  Collision collision;
  BodyForce<Real> drive;

  GOBAN_FUNCTION void operator()(auto f, auto type, auto force, auto next, auto velocity) const {
    using Value = decltype(f[0]());
    Value own[Lattice::size], g[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) own[q] = f[q]();
    g[0] = own[0];
    for (int q = 1; q < Lattice::size; ++q) {
      const Velocity c = Lattice::velocity(q);
      const auto from = type(-c[0], -c[1], -c[2]);
      const auto pulled = f[q](-c[0], -c[1], -c[2]);
      g[q] =
          select(from == cell::fluid || from == cell::outflow, pulled, own[opposite(q)] + pulled);
    }
    const auto is_fluid = type() == cell::fluid;
    const auto all = force_at<Real, Value>(force, drive);
    const Moments<Value> m = moments<Lattice>(g, all);
    for (int a = 0; a < 3; ++a) velocity[a] = select(is_fluid, m.u[a], 0);
    collision.template collide<Lattice>(g, all);
    for (int q = 0; q < Lattice::size; ++q) next[q] = select(is_fluid, g[q], own[q]);
  }
};

}  // namespace goban::lbm
