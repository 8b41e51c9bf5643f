#pragma once
// Layers along the sides of the grid that let waves out.
//
// C-PML (Roden and Gedney 2000; Komatitsch and Martin, Geophysics 72 (2007) SM155): in the layer of
// a side every derivative along its axis A becomes d_A u + psi with a memory variable psi,
//   dpsi/dt = -(d + alpha) psi - d d_A u,
// discretised with the mean of psi (no exponential: the same bits everywhere),
//   psi' = ((1 - D - a) psi - 2 D d_A u) / (1 + D + a),   D = d dt / 2,   a = alpha dt / 2,
//   d = -3 vp log(R) / (2 width) s^2,   alpha = pi f (1 - s),   s = 0 ... 1 from inside to outside.
// The main sweeps know nothing of it: what psi adds is added after them, in the layers alone, so
// that the other cells move no byte more, and edges and corners need nothing of their own.

#include <array>
#include <cmath>
#include <numbers>

#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"
#include "seismic/model.hpp"
#include "seismic/stencils.hpp"

namespace goban::seismic {

/// The axes of the velocities: x, y, z, or x, z.
template <int Dimensions>
constexpr Axis axis_of_component(int n) {
  return Dimensions == 3 ? all_axes[static_cast<std::size_t>(n)] : n == 0 ? Axis::x : Axis::z;
}
template <int Dimensions>
constexpr int component_of_axis(Axis a) {
  return Dimensions == 3 ? index_of(a) : a == Axis::x ? 0 : 1;
}
/// The other axes than A, in their order.
template <int Dimensions, Axis A>
constexpr Axis axis_beside(int n) {
  return axis_of_component<Dimensions>(n < component_of_axis<Dimensions>(A) ? n : n + 1);
}

/// Calls visit(axis, side) with the axis as a constant for every absorbing side.
template <int Dimensions, class Visit>
void each_absorbing_side(const Model& model, Visit&& visit) {
  unroll<Dimensions>([&](auto n) {
    constexpr Axis axis = axis_of_component<Dimensions>(n);
    for (const Side side : both_sides) {
      if (model.absorbs(axis, side)) visit(std::integral_constant<Axis, axis>{}, side);
    }
  });
}

/// The layer of one side.
template <class Real>
struct LayerSide {
  Real edge{};      ///< where it begins, in cells
  Real outwards{};  ///< s per cell
  Real damping{};   ///< D where s = 1
  Real shift{};     ///< a where s = 0

  /// `cells` along the axis, `h` their length.
  static LayerSide of(const Absorber& absorber, Side side, Index cells, double h, double dt,
                      double vp) {
    const double width = absorber.width;
    LayerSide layer;
    layer.edge = static_cast<Real>(side == Side::low ? width : static_cast<double>(cells) - width);
    layer.outwards = static_cast<Real>((side == Side::low ? -1 : 1) / width);
    layer.damping =
        static_cast<Real>(-3 * vp * std::log(absorber.reflection) / (2 * width * h) * dt / 2);
    layer.shift = static_cast<Real>(std::numbers::pi * absorber.frequency * dt / 2);
    return layer;
  }

  /// s of faces (`half` 0) or cells (1/2) along the axis.
  GOBAN_FUNCTION auto depth(const auto& site, Axis a, Real half) const {
    return max((convert<Real>(site.index(a)) + (half - edge)) * outwards, Real(0));
  }

  /// psi' at s.
  GOBAN_FUNCTION auto remember(const auto& s, const auto& psi, const auto& derivative) const {
    const auto d = damping * (s * s), alpha = shift * (1 - s);
    return ((1 - d - alpha) * psi - 2 * d * derivative) * reciprocal(1 + d + alpha);
  }
};

/// Adds to velocities what psi adds to derivatives of stresses along A. Arguments that come by axis
/// begin with A, the others follow in their order.
template <int Dimensions, Axis A, int Order, class Real>
struct MatchVelocity {
  LayerSide<Real> layer;
  Real scale{};  ///< 2 dt / h

  /// Matches the velocity along C; `stress` is s_CA.
  template <Axis C, class Memory, class Velocity, class Stress, class Density, class Site>
  GOBAN_FUNCTION void match(Memory memory, Velocity v, const Stress& stress, const Density& density,
                            const Site& site) const {
    constexpr Onto onto = C == A ? Onto::face : Onto::center;
    const auto s = layer.depth(site, A, C == A ? Real(0) : Real(0.5));
    const auto psi = layer.remember(s, memory(), d<A, Order, onto>(stress));
    memory = psi;
    v += scale * psi * reciprocal(density_of_faces<C>(density));
  }
  // Not with auto: nvcc 13.0 fails on so many.
  template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7,
            class T8, class T9, class T10>
  GOBAN_FUNCTION void operator()(T0 m0, T1 m1, T2 m2, T3 v0, T4 v1, T5 v2, T6 normal, T7 shear1,
                                 T8 shear2, T9 density, T10 site) const {
    match<A>(m0, v0, normal[component_of_axis<3>(A)], density, site);
    constexpr Axis first = axis_beside<3, A>(0), second = axis_beside<3, A>(1);
    match<first>(m1, v1, shear1, density, site);
    match<second>(m2, v2, shear2, density, site);
  }
  GOBAN_FUNCTION void operator()(auto m0, auto m1, auto v0, auto v1, auto normal, auto shear1,
                                 auto density, auto site) const {
    match<A>(m0, v0, normal[component_of_axis<2>(A)], density, site);
    constexpr Axis first = axis_beside<2, A>(0);
    match<first>(m1, v1, shear1, density, site);
  }
};

/// Adds to stresses what psi adds to derivatives of velocities along A.
template <int Dimensions, Axis A, int Order, class Real>
struct MatchStress {
  LayerSide<Real> layer;
  Real scale{};  ///< dt / h

  GOBAN_FUNCTION void match_normal(auto memory, auto normal, const auto& v, const auto& lambda,
                                   const auto& compliance, const auto& site) const {
    const auto s = layer.depth(site, A, Real(0.5));
    const auto psi = layer.remember(s, memory(), d<A, Order, Onto::center>(v));
    memory = psi;
    const auto gain = scale * psi, swelling = lambda() * gain;
    unroll<Dimensions>([&](auto c) {
      if constexpr (c == component_of_axis<Dimensions>(A)) {
        normal[c] += swelling + 2 * modulus_of(compliance()) * gain;
      } else {
        normal[c] += swelling;
      }
    });
  }
  template <Axis C>
  GOBAN_FUNCTION void match_shear(auto memory, auto shear, const auto& v, const auto& compliance,
                                  const auto& site) const {
    const auto s = layer.depth(site, A, Real(0));
    const auto psi = layer.remember(s, memory(), d<A, Order, Onto::face>(v));
    memory = psi;
    shear += modulus_of_edge<A, C>(compliance) * (scale * psi);
  }
  // Not with auto: nvcc 13.0 fails on so many.
  template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7,
            class T8, class T9, class T10, class T11>
  GOBAN_FUNCTION void operator()(T0 m0, T1 m1, T2 m2, T3 normal, T4 shear1, T5 shear2, T6 v0, T7 v1,
                                 T8 v2, T9 lambda, T10 compliance, T11 site) const {
    match_normal(m0, normal, v0, lambda, compliance, site);
    constexpr Axis first = axis_beside<3, A>(0), second = axis_beside<3, A>(1);
    match_shear<first>(m1, shear1, v1, compliance, site);
    match_shear<second>(m2, shear2, v2, compliance, site);
  }
  GOBAN_FUNCTION void operator()(auto m0, auto m1, auto normal, auto shear1, auto v0, auto v1,
                                 auto lambda, auto compliance, auto site) const {
    match_normal(m0, normal, v0, lambda, compliance, site);
    constexpr Axis first = axis_beside<2, A>(0);
    match_shear<first>(m1, shear1, v1, compliance, site);
  }
};

/// Sponge of Cerjan et al., Geophysics 50 (1985) 705: every value times 1 - q + q^2 / 2, which is
/// exp(-q) nearly, with q = (strength depth)^2.
template <Axis A, class Real>
struct Damp {
  LayerSide<Real> layer;
  Real strength{};  ///< times the width of the layer, in cells

  GOBAN_FUNCTION auto factor(const auto& site) const {
    const auto depth = strength * layer.depth(site, A, Real(0.5));
    const auto q = depth * depth;
    return 1 - q + q * q / 2;
  }
  GOBAN_FUNCTION void operator()(auto vx, auto vy, auto vz, auto normal, auto xy, auto xz, auto yz,
                                 auto site) const {
    const auto g = factor(site);
    vx *= g;
    vy *= g;
    vz *= g;
    unroll<3>([&](auto c) { normal[c] *= g; });
    xy *= g;
    xz *= g;
    yz *= g;
  }
  GOBAN_FUNCTION void operator()(auto vx, auto vz, auto normal, auto xz, auto site) const {
    const auto g = factor(site);
    vx *= g;
    vz *= g;
    unroll<2>([&](auto c) { normal[c] *= g; });
    xz *= g;
  }
};

}  // namespace goban::seismic
