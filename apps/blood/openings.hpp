#pragma once
// What comes in through openings at any angle.

#include "blood/arrivals.hpp"
#include "blood/sponge.hpp"

namespace goban::blood {

/// Gives a velocity against the normal (Ladd, J. Fluid Mech. 271 (1994) 285):
///   f_q = f*_q' + 6 w_q rho c_q . u,
/// u where the link meets the opening: `speed`, or speed (1 - r^2 / R^2).
template <class Lattice, class Real>
struct GiveVelocity {
  Disc<Real> disc;
  bool is_parabolic{};

  template <class Value>
  GOBAN_FUNCTION void enter(const Value (&own)[Lattice::size], Value (&g)[Lattice::size],
                            const auto& links, const auto& site, const auto& speed) const {
    Value offset[3], rho(1);
    for (int a = 0; a < 3; ++a) {
      const auto at = site.template position<Real>(all_axes[a]);
      offset[a] = Value((at - disc.center[a]) / disc.spacing);
    }
    for (int q = 0; q < Lattice::size; ++q) rho = rho + own[q];
    for (int q = 1; q < Lattice::size; ++q) {
      const Velocity c = Lattice::velocity(q);
      const Value part = link_behind<Lattice>(links, q);
      Value square(0), across(0);
      for (int a = 0; a < 3; ++a) {
        const Value p = offset[a] + part * Real(c[a]);  // parts of openings are negative
        square = square + p * p;
        across = across + p * disc.normal[a];
      }
      const Real cells = disc.radius / disc.spacing;
      const Value profile = max(1 - (square - across * across) / (cells * cells), Value(0));
      const Real along =
          Real(c[0]) * disc.normal[0] + Real(c[1]) * disc.normal[1] + Real(c[2]) * disc.normal[2];
      const Value u = is_parabolic ? speed() * profile : Value(speed());
      const Value entered = own[opposite(q)] - Real(6 * Lattice::weight(q)) * along * rho * u;
      g[q] = select(part < 0, entered, g[q]);
    }
  }
};

/// Holds a density (Nash et al., Phys. Rev. E 89 (2014) 023303): what comes in is the equilibrium
/// of 1 + excess and of the part of the cell's velocity that is along the normal. To it comes what
/// the opposite population, just arrived, has beside the equilibrium of the cell: without the
/// stress of the flow that hangs on it a vessel would be 1.4 cells shorter.
template <class Lattice, class Real>
struct HoldPressure {
  Disc<Real> disc;

  template <class Value>
  GOBAN_FUNCTION void enter(const Value (&own)[Lattice::size], Value (&g)[Lattice::size],
                            const auto& links, const auto&, const auto& excess) const {
    const lbm::Moments<Value> here = lbm::moments<Lattice>(own, lbm::NoForce{});
    Value along(0);
    for (int a = 0; a < 3; ++a) along = along + here.u[a] * disc.normal[a];
    lbm::Moments<Value> held;
    held.excess = Value(excess());
    held.rho = 1 + held.excess;
    for (int a = 0; a < 3; ++a) held.u[a] = along * disc.normal[a];
    held.uu = 1.5 * along * along;
    for (int q = 1; q < Lattice::size; ++q) {
      g[q] = select(link_behind<Lattice>(links, q) < 0, lbm::equilibrium<Lattice>(held, q), g[q]);
    }
    const lbm::Moments<Value> now = lbm::moments<Lattice>(g, lbm::NoForce{});
    Value rest[Lattice::size];
    for (int q = 1; q < Lattice::size; ++q) {
      rest[q] = g[opposite(q)] - lbm::equilibrium<Lattice>(now, opposite(q));
    }
    for (int q = 1; q < Lattice::size; ++q) {
      g[q] = select(link_behind<Lattice>(links, q) < 0, g[q] + rest[q], g[q]);
    }
  }
};

/// A step of the cells of one opening and of the sponge before it. `number`: of the opening, from
/// 1, as the field `opening` has it.
template <class Lattice, class Collision, class Entry>
struct StepAtOpening {
  Collision collision;
  Entry entry;
  std::uint8_t number{};

  GOBAN_FUNCTION void operator()(auto f, auto links, auto opening, auto next, auto site, auto value,
                                 auto force_x, auto force_y, auto force_z) const {
    decltype(f[0]()) own[Lattice::size], g[Lattice::size];
    arrive<Lattice>(f, links, own, g);
    entry.enter(own, g, links, site, value);
    const auto force = lbm::body_force(force_x, force_y, force_z);
    const auto is_at_it = opening() == number;
    if constexpr (has_sponge<Collision>) {
      const auto depth = collision.depth(site);
      collision.template collide<Lattice>(g, force, depth);
      store(g, is_at_it || depth > 0, next);
    } else {
      collision.template collide<Lattice>(g, force);
      store(g, is_at_it, next);
    }
  }

 private:
  template <class Value>
  GOBAN_FUNCTION static void store(const Value (&g)[Lattice::size], const auto& is_here,
                                   auto& next) {
    for (int q = 0; q < Lattice::size; ++q) next[q] = select(is_here, g[q], next[q]());
  }
};

/// Mass that a cell of an opening loses through it in a step, over the density at rest: its sum is
/// the rate of flow out of the vessel.
template <class Lattice, class Entry>
struct FlowOut {
  Entry entry;
  std::uint8_t number{};

  GOBAN_FUNCTION auto operator()(auto f, auto links, auto opening, auto site, auto value) const {
    decltype(f[0]()) own[Lattice::size], g[Lattice::size], sum(0);
    arrive<Lattice>(f, links, own, g);
    entry.enter(own, g, links, site, value);
    for (int q = 1; q < Lattice::size; ++q) {
      sum = sum + select(link_behind<Lattice>(links, q) < 0, own[opposite(q)] - g[q], 0);
    }
    return select(opening() == number, sum, 0);
  }
};

/// rho - 1 of a cell of an opening.
template <class Lattice>
struct ExcessAtOpening {
  std::uint8_t number{};

  GOBAN_FUNCTION auto operator()(auto f, auto opening) const {
    auto sum = f[0]();
    for (int q = 1; q < Lattice::size; ++q) sum = sum + f[q]();
    return select(opening() == number, sum, 0);
  }
};

}  // namespace goban::blood
