#pragma once
// The physics: what one sweep does to one cell of a vessel.

#include "blood/arrivals.hpp"
#include "lbm/wall_shear.hpp"

namespace goban::blood {

/// A step of a cell between walls, driven by a force that may be 0. Where red cells are suspended
/// it reads their force on each node and stores the velocity that they see.
template <class Lattice, class Collision>
struct StreamWallCollide {
  Collision collision;

  GOBAN_FUNCTION void operator()(auto f, auto links, auto cell_force, auto next, auto node_velocity,
                                 auto force_x, auto force_y, auto force_z) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    Value own[Lattice::size], g[Lattice::size];
    arrive<Lattice>(f, links, own, g);
    const auto force = lbm::force_at<Value>(cell_force, lbm::body_force(force_x, force_y, force_z));
    const auto m = lbm::moments<Lattice>(g, force);
    for (int a = 0; a < 3; ++a) node_velocity[a] = m.u[a];
    collision.template collide<Lattice>(g, force);
    for (int q = 0; q < Lattice::size; ++q) next[q] = g[q];
  }

  GOBAN_FUNCTION void operator()(auto f, auto links, auto next, auto force_x, auto force_y,
                                 auto force_z) const {
    decltype(f[0]()) own[Lattice::size], g[Lattice::size];
    arrive<Lattice>(f, links, own, g);
    collision.template collide<Lattice>(g, lbm::body_force(force_x, force_y, force_z));
    for (int q = 0; q < Lattice::size; ++q) next[q] = g[q];
  }
};

constexpr double root_of(double x) {
  double y = 1;
  for (int n = 0; n < 60; ++n) y = (y + x / y) / 2;
  return y;
}

/// Thermal noise in what a collision relaxes, without mass and momentum (Adhikari et al., Europhys.
/// Lett. 71 (2005) 473; Duenweg, Schiller, Ladd, Phys. Rev. E 76 (2007) 036704):
///   f_q += sqrt(3 kT rho w_q (2 - rate) rate) r_q
/// with the rates of sums and of differences of opposite populations, r_q random numbers of
/// variance 1 less their parts along the conserved vectors sqrt(w_q) and sqrt(3 w_q) c_q.
template <class Lattice, class Real>
struct Fluctuate {
  Real energy{};  ///< 3 kT, lattice units

  template <class Value>
  GOBAN_FUNCTION void operator()(Value (&g)[Lattice::size], const Value& rho, const auto& even,
                                 const auto& odd, const auto& site) const {
    Value r[Lattice::size], mass(0), momentum[3] = {Value(0), Value(0), Value(0)};
    for (int q = 0; q < Lattice::size; ++q) {
      r[q] = Real(root_of(12)) * (site.template random<Real>(q) - Real(0.5));
      const double w = root_of(Lattice::weight(q));
      mass = mass + w * r[q];
      for (int a = 0; a < 3; ++a) {
        const int c = Lattice::velocity(q)[a];
        if (c != 0) momentum[a] = momentum[a] + (3 * c * w) * r[q];
      }
    }
    const Value size = sqrt(energy * rho);
    const Value of_even = size * sqrt((2 - even) * even), of_odd = size * sqrt((2 - odd) * odd);
    const double rest = root_of(Lattice::weight(0));
    g[0] = g[0] + of_even * (rest * (r[0] - rest * mass));
    for (int q = 1; q < Lattice::size; q += 2) {
      const double w = root_of(Lattice::weight(q));
      const Value sum = of_even * (w * (0.5 * (r[q] + r[q + 1]) - w * mass));
      const Value difference =
          of_odd * (w * (0.5 * (r[q] - r[q + 1]) - w * lbm::along<Lattice>(momentum, q)));
      g[q] = g[q] + (sum + difference);
      g[q + 1] = g[q + 1] + (sum - difference);
    }
  }
};

/// The same step with noise.
template <class Lattice, class Collision, class Real>
struct StreamWallFluctuate {
  Collision collision;
  Fluctuate<Lattice, Real> fluctuate;

  GOBAN_FUNCTION void operator()(auto f, auto links, auto next, auto force_x, auto force_y,
                                 auto force_z, auto site) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    Value own[Lattice::size], g[Lattice::size];
    arrive<Lattice>(f, links, own, g);
    const auto force = lbm::body_force(force_x, force_y, force_z);
    const lbm::Moments<Value> m = lbm::moments<Lattice>(g, force);
    const auto tau = collision.template relaxation_time<Lattice>(g, m, force);
    collision.template collide<Lattice>(g, force);
    fluctuate(g, m.rho, 1 / tau, collision.odd_rate(tau), site);
    for (int q = 0; q < Lattice::size; ++q) next[q] = g[q];
  }
};

/// What is shown, in units of the case: pressure less that at rest [Pa], velocity [m/s] (of
/// populations after the collision, or the one that red cells have seen), apparent viscosity [m2/s]
/// and viscous stress [Pa], xx, yy, zz, xy, xz, yz, of what arrives in the next step.
template <class Lattice, class Collision, class Real>
struct Observe {
  Collision collision;
  Real speed{};      ///< a cell per step
  Real stress{};     ///< density at rest times the square of `speed`
  Real viscosity{};  ///< a cell squared per step

  GOBAN_FUNCTION void operator()(auto f, auto links, auto pressure, auto velocity,
                                 auto apparent_viscosity, auto viscous_stress, auto force_x,
                                 auto force_y, auto force_z) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    const auto force = lbm::body_force(force_x, force_y, force_z);
    Value own[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) own[q] = f[q]();
    const auto now = lbm::moments<Lattice, lbm::Collided::yes>(own, force);
    for (int a = 0; a < 3; ++a) velocity[a] = speed * now.u[a];
    show(f, links, force, pressure, apparent_viscosity, viscous_stress);
  }
  GOBAN_FUNCTION void operator()(auto f, auto links, auto cell_force, auto node_velocity,
                                 auto pressure, auto velocity, auto apparent_viscosity,
                                 auto viscous_stress, auto force_x, auto force_y,
                                 auto force_z) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    for (int a = 0; a < 3; ++a) velocity[a] = speed * node_velocity[a]();
    show(f, links, lbm::force_at<Value>(cell_force, lbm::body_force(force_x, force_y, force_z)),
         pressure, apparent_viscosity, viscous_stress);
  }

 private:
  GOBAN_FUNCTION void show(auto f, auto links, const auto& force, auto pressure,
                           auto apparent_viscosity, auto viscous_stress) const {
    using Value = std::remove_cvref_t<decltype(f[0]())>;
    Value own[Lattice::size], g[Lattice::size];
    arrive<Lattice>(f, links, own, g);
    for (int q = 1; q < Lattice::size; ++q) {
      g[q] = select(link_behind<Lattice>(links, q) < 0, own[q], g[q]);
    }
    const auto m = lbm::moments<Lattice>(g, force);
    const auto tau = collision.template relaxation_time<Lattice>(g, m, force);
    const auto sigma = lbm::viscous_stress<Lattice>(g, m, tau, force);
    pressure = (stress / 3) * lbm::moments<Lattice>(own, lbm::NoForce{}).excess;
    apparent_viscosity = viscosity * ((tau - Real(0.5)) / 3);
    for (int n = 0; n < 6; ++n) viscous_stress[n] = stress * sigma[n];
  }
};

/// Velocity along an axis, lattice units: of populations after the collision, or the one that red
/// cells have seen.
template <class Lattice>
struct VelocityAlong {
  int axis = 0;

  GOBAN_FUNCTION auto operator()(auto f, auto force_x, auto force_y, auto force_z) const {
    decltype(f[0]()) g[Lattice::size];
    for (int q = 0; q < Lattice::size; ++q) g[q] = f[q]();
    const auto force = lbm::body_force(force_x, force_y, force_z);
    return lbm::moments<Lattice, lbm::Collided::yes>(g, force).u[axis];
  }
  GOBAN_FUNCTION auto operator()(auto node_velocity) const { return node_velocity[axis](); }
};

/// What the fluid exerts on the wall along it [Pa], in cells that links join to it; see
/// lbm/wall_shear.hpp.
template <class Lattice>
struct ShearWall {
  GOBAN_FUNCTION void operator()(auto viscous_stress, auto links, auto to_wall, auto shear) const {
    using Value = std::remove_cvref_t<decltype(viscous_stress[0]())>;
    const Value wall[3] = {to_wall[0](), to_wall[1](), to_wall[2]()};
    Value t[3];
    lbm::shear_of_wall<Lattice>(
        viscous_stress, [&](int q) { return links[q - 1]() == 0; }, wall, t);
    for (int a = 0; a < 3; ++a) shear[a] = t[a];
  }
};

/// rho - 1: its sum is the mass less that at rest.
template <class Lattice>
struct ExcessMass {
  GOBAN_FUNCTION auto operator()(auto f) const {
    auto sum = f[0]();
    for (int q = 1; q < Lattice::size; ++q) sum = sum + f[q]();
    return sum;
  }
};

}  // namespace goban::blood
