#pragma once
// Elastic waves in velocity and stress on the staggered grid: one functor, one sweep.
//
//   rho dv_i/dt = d_j s_ij,   ds_ij/dt = lambda delta_ij div v + mu (d_i v_j + d_j v_i)
//
// v_i lives on the faces of axis i, normal stresses and rock in cells, s_ij on the edges of the
// third axis (Virieux 1986, Levander 1988; the scheme is Graves, Bull. Seism. Soc. Am. 86 (1996)
// 1091). Velocities are those of the clock, stresses half a step later.
//
// Rock is three fields of cells: density, lambda and shear compliance 1/mu. Densities of faces
// (arithmetic mean) and moduli of edges (harmonic mean of four cells) are made where they are
// needed. That takes a division each and moves 12 bytes a cell in float32 where eight fields of
// means would move 32: 120 instead of 140 bytes a step. Compliance makes of the harmonic mean a sum
// and one division, of a fluid (mu = 0, compliance infinite) no special case, and of a vacuum above
// the surface shear stresses that are 0.

#include <array>

#include "goban/stencil/operators.hpp"
#include "goban/stencil/reciprocal.hpp"
#include "goban/stencil/unroll.hpp"
#include "seismic/depth.hpp"

namespace goban::seismic {

/// Twice the density of the lower face of a cell along A.
template <Axis A>
GOBAN_FUNCTION auto density_of_faces(const auto& density) {
  return density() + density.shift(A, -1)();
}

/// 1/compliance; 0 where that is infinite, in fluids.
GOBAN_FUNCTION auto modulus_of(const auto& compliance) {
  return select(compliance < 0x1p125f, reciprocal(compliance), 0);
}

/// mu on the edge that two lower faces of a cell along A and B share.
template <Axis A, Axis B>
GOBAN_FUNCTION auto modulus_of_edge(const auto& compliance) {
  const auto beside = compliance.shift(A, -1);
  return 4 * modulus_of((compliance() + beside()) +
                        (compliance.shift(B, -1)() + beside.shift(B, -1)()));
}

/// v += dt / rho div s. Place is Deep or Shallow.
template <int Order, class Real, class Place = Deep>
struct Accelerate {
  std::array<Real, 3> scale{};  ///< 2 dt / h
  Place place{};

  static Accelerate with(double dt, Real3 h, Place place = {}) {
    return {{static_cast<Real>(2 * dt / h[0]), static_cast<Real>(2 * dt / h[1]),
             static_cast<Real>(2 * dt / h[2])},
            place};
  }

  GOBAN_FUNCTION void operator()(auto vx, auto vy, auto vz, auto normal, auto xy, auto xz, auto yz,
                                 auto density) const {
    vx += (scale[0] * d<Axis::x, Order, Onto::face>(normal[0]) +
           scale[1] * d<Axis::y, Order, Onto::center>(xy) +
           scale[2] * place.template of_faces<Order>(xz)) *
          reciprocal(density_of_faces<Axis::x>(density));
    vy += (scale[0] * d<Axis::x, Order, Onto::center>(xy) +
           scale[1] * d<Axis::y, Order, Onto::face>(normal[1]) +
           scale[2] * place.template of_faces<Order>(yz)) *
          reciprocal(density_of_faces<Axis::y>(density));
    vz += (scale[0] * d<Axis::x, Order, Onto::center>(xz) +
           scale[1] * d<Axis::y, Order, Onto::center>(yz) +
           scale[2] * place.template of_stress<Order>(normal[2])) *
          reciprocal(density_of_faces<Axis::z>(density));
  }
  /// Works in the plane of x and z.
  GOBAN_FUNCTION void operator()(auto vx, auto vz, auto normal, auto xz, auto density) const {
    vx += (scale[0] * d<Axis::x, Order, Onto::face>(normal[0]) +
           scale[2] * place.template of_faces<Order>(xz)) *
          reciprocal(density_of_faces<Axis::x>(density));
    vz += (scale[0] * d<Axis::x, Order, Onto::center>(xz) +
           scale[2] * place.template of_stress<Order>(normal[1])) *
          reciprocal(density_of_faces<Axis::z>(density));
  }
};

/// s += dt (lambda div v + mu (grad v + grad v^T)).
template <int Order, class Real, class Place = Deep>
struct Deform {
  std::array<Real, 3> scale{};    ///< dt / h
  std::array<double, 2> slope{};  ///< spacing along z over that along x and y
  Place place{};

  static Deform with(double dt, Real3 h, Place place = {}) {
    return {
        {static_cast<Real>(dt / h[0]), static_cast<Real>(dt / h[1]), static_cast<Real>(dt / h[2])},
        {h[2] / h[0], h[2] / h[1]},
        place};
  }

  GOBAN_FUNCTION void operator()(auto normal, auto xy, auto xz, auto yz, auto vx, auto vy, auto vz,
                                 auto lambda, auto compliance) const {
    const auto x = scale[0] * d<Axis::x, Order, Onto::center>(vx);
    const auto y = scale[1] * d<Axis::y, Order, Onto::center>(vy);
    const auto z = scale[2] * place.template of_faces<Order>(vz);
    const auto twice_mu = 2 * modulus_of(compliance());
    const auto swelling = lambda() * (x + y + z);
    normal[0] += swelling + twice_mu * x;
    normal[1] += swelling + twice_mu * y;
    normal[2] += swelling + twice_mu * z;
    xy += modulus_of_edge<Axis::x, Axis::y>(compliance) *
          (scale[1] * d<Axis::y, Order, Onto::face>(vx) +
           scale[0] * d<Axis::x, Order, Onto::face>(vy));
    xz += modulus_of_edge<Axis::x, Axis::z>(compliance) *
          (scale[2] * place.template of_velocity<Order, Axis::x>(vx, vz, slope[0]) +
           scale[0] * d<Axis::x, Order, Onto::face>(vz));
    yz += modulus_of_edge<Axis::y, Axis::z>(compliance) *
          (scale[2] * place.template of_velocity<Order, Axis::y>(vy, vz, slope[1]) +
           scale[1] * d<Axis::y, Order, Onto::face>(vz));
  }
  GOBAN_FUNCTION void operator()(auto normal, auto xz, auto vx, auto vz, auto lambda,
                                 auto compliance) const {
    const auto x = scale[0] * d<Axis::x, Order, Onto::center>(vx);
    const auto z = scale[2] * place.template of_faces<Order>(vz);
    const auto twice_mu = 2 * modulus_of(compliance());
    const auto swelling = lambda() * (x + z);
    normal[0] += swelling + twice_mu * x;
    normal[1] += swelling + twice_mu * z;
    xz += modulus_of_edge<Axis::x, Axis::z>(compliance) *
          (scale[2] * place.template of_velocity<Order, Axis::x>(vx, vz, slope[0]) +
           scale[0] * d<Axis::x, Order, Onto::face>(vz));
  }
};

/// Half a step of u' = v: with the velocity at both of its ends that is the trapezoidal rule.
template <class T>
struct Displace {
  T half_dt;
  GOBAN_FUNCTION void operator()(auto u, auto v) const { u += half_dt * v(); }
};

/// The largest speed so far in the cells at the surface; for the horizontal velocities half a cell
/// below it.
struct KeepPeak {
  GOBAN_FUNCTION void operator()(auto peak, auto vx, auto vy, auto vz) const {
    const auto x = average<Axis::x, Onto::center>(vx), y = average<Axis::y, Onto::center>(vy);
    peak = max(peak(), sqrt(x * x + y * y + vz() * vz()));
  }
  GOBAN_FUNCTION void operator()(auto peak, auto vx, auto vz) const {
    const auto x = average<Axis::x, Onto::center>(vx);
    peak = max(peak(), sqrt(x * x + vz() * vz()));
  }
};

/// Energy of motion of a cell and its lower faces, J/m3: rho v v' / 2 with v' the velocity one step
/// later, which with the strain energy between both is what leapfrog keeps.
template <int Order, class Real>
struct MotionEnergy {
  Accelerate<Order, Real> step;

  /// 2 rho v (v + acceleration), force being twice what Accelerate divides.
  GOBAN_FUNCTION static auto of(const auto& v, const auto& force, const auto& twice_density) {
    return v * (twice_density * v + force);
  }
  GOBAN_FUNCTION auto operator()(auto vx, auto vy, auto vz, auto normal, auto xy, auto xz, auto yz,
                                 auto density) const {
    const auto& s = step.scale;
    return (of(vx(),
               s[0] * d<Axis::x, Order, Onto::face>(normal[0]) +
                   s[1] * d<Axis::y, Order, Onto::center>(xy) +
                   s[2] * d<Axis::z, Order, Onto::center>(xz),
               density_of_faces<Axis::x>(density)) +
            of(vy(),
               s[0] * d<Axis::x, Order, Onto::center>(xy) +
                   s[1] * d<Axis::y, Order, Onto::face>(normal[1]) +
                   s[2] * d<Axis::z, Order, Onto::center>(yz),
               density_of_faces<Axis::y>(density)) +
            of(vz(),
               s[0] * d<Axis::x, Order, Onto::center>(xz) +
                   s[1] * d<Axis::y, Order, Onto::center>(yz) +
                   s[2] * d<Axis::z, Order, Onto::face>(normal[2]),
               density_of_faces<Axis::z>(density))) /
           4;
  }
  GOBAN_FUNCTION auto operator()(auto vx, auto vz, auto normal, auto xz, auto density) const {
    const auto& s = step.scale;
    return (of(vx(),
               s[0] * d<Axis::x, Order, Onto::face>(normal[0]) +
                   s[2] * d<Axis::z, Order, Onto::center>(xz),
               density_of_faces<Axis::x>(density)) +
            of(vz(),
               s[0] * d<Axis::x, Order, Onto::center>(xz) +
                   s[2] * d<Axis::z, Order, Onto::face>(normal[1]),
               density_of_faces<Axis::z>(density))) /
           4;
  }
};

/// Energy of deformation of a cell, J/m3: with D dimensions, t the sum of the normal stresses, dev
/// their rest: t^2 / (2 D (D lambda + 2 mu)) + dev^2 / (4 mu) + shear^2 / (2 mu).
struct StrainEnergy {
  /// x^2 / mu, 0 in fluids.
  GOBAN_FUNCTION static auto of_shear(const auto& x, const auto& mu) {
    return select(mu > 0, x * x / mu, 0);
  }
  GOBAN_FUNCTION auto operator()(auto normal, auto xy, auto xz, auto yz, auto lambda,
                                 auto compliance) const {
    const auto x = normal[0](), y = normal[1](), z = normal[2]();
    const auto mu = 1 / compliance(), sum = x + y + z, mean = sum / 3;
    const auto rest = of_shear(x - mean, mu) + of_shear(y - mean, mu) + of_shear(z - mean, mu);
    return sum * mean / (2 * (3 * lambda() + 2 * mu)) + rest / 4 +
           (of_shear(xy(), modulus_of_edge<Axis::x, Axis::y>(compliance)) +
            of_shear(xz(), modulus_of_edge<Axis::x, Axis::z>(compliance)) +
            of_shear(yz(), modulus_of_edge<Axis::y, Axis::z>(compliance))) /
               2;
  }
  GOBAN_FUNCTION auto operator()(auto normal, auto xz, auto lambda, auto compliance) const {
    const auto x = normal[0](), z = normal[1]();
    const auto mu = 1 / compliance(), sum = x + z, mean = sum / 2;
    return sum * mean / (2 * (2 * lambda() + 2 * mu)) +
           (of_shear(x - mean, mu) + of_shear(z - mean, mu)) / 4 +
           of_shear(xz(), modulus_of_edge<Axis::x, Axis::z>(compliance)) / 2;
  }
};

}  // namespace goban::seismic
