#pragma once
// What the layers of stencil/absorbing_layer.hpp add to velocities and stresses: three derivatives
// along an axis in a sweep.

#include <array>

#include "goban/stencil/absorbing_layer.hpp"
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

/// Adds to velocities what psi adds to derivatives of stresses along A. Arguments that come by axis
/// begin with A, the others follow in their order.
template <int Dimensions, Axis A, int Order, class Real>
struct MatchVelocity {
  PmlLayer<Real> layer;
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
  PmlLayer<Real> layer;
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

}  // namespace goban::seismic
