#pragma once
// Derivatives along z on unit spacing near a free surface, which is the plane of faces 0.
//
//      z = 0  ------ face 0: vz, xz, yz; zz = xz = yz = 0 here
//        1/2     o   cell 0: vx, vy, xx, yy, zz, xy
//         1   ------ face 1
//        3/2     o   cell 1
//
// Nothing lies above. Where a central difference would need it, differences look down only and use
// what is known at the surface: the stresses on it are 0, and as the shear stresses are, dvx/dz =
// -dvz/dx, dvy/dz = -dvz/dy there. Those of order 4 are from Kristek, Moczo and Archuleta, Stud.
// Geophys. Geod. 46 (2002) 355. Further down differences are central, of the largest order that
// fits.

#include "goban/stencil/operators.hpp"

namespace goban::seismic {

/// Far from the surface.
struct Deep {
  /// The derivative of a value at faces.
  template <int Order>
  GOBAN_FUNCTION static auto of_faces(const auto& u) {
    return d<Axis::z, Order, Onto::center>(u);
  }
  /// The derivative of the vertical stress, at cells.
  template <int Order>
  GOBAN_FUNCTION static auto of_stress(const auto& u) {
    return d<Axis::z, Order, Onto::face>(u);
  }
  /// The derivative of a horizontal velocity, at cells along z; `vz` is the vertical one, A the
  /// velocity's axis, `slope` spacing along z over that along A.
  template <int Order, Axis A>
  GOBAN_FUNCTION static auto of_velocity(const auto& u, const auto&, double) {
    return d<Axis::z, Order, Onto::face>(u);
  }
};

/// The derivative along z of the order Most, or of `order` if that is smaller.
template <int Most, Onto onto>
GOBAN_FUNCTION auto d_up_to(int order, const auto& u) {
  if constexpr (Most > 2) {
    if (order < Most) return d_up_to<Most - 2, onto>(order, u);
  }
  return d<Axis::z, Most, onto>(u);
}

/// Derivatives in cells and on faces with the number `plane`. The members are those of Deep.
struct Shallow {
  int plane{};

  template <int Order>
  GOBAN_FUNCTION auto of_faces(const auto& u) const {
    if (Order == 2 || plane > 0) return d_up_to<Order, Onto::center>(2 * (plane + 1), u);
    return -11.0 / 12 * u() + 17.0 / 24 * u(0, 0, 1) + 3.0 / 8 * u(0, 0, 2) -
           5.0 / 24 * u(0, 0, 3) + 1.0 / 24 * u(0, 0, 4);
  }
  template <int Order>
  GOBAN_FUNCTION auto of_stress(const auto& u) const {
    if (plane == 0 && Order == 2) return 2 * u();
    if (plane == 0) {
      return 35.0 / 8 * u() - 35.0 / 24 * u(0, 0, 1) + 21.0 / 40 * u(0, 0, 2) -
             5.0 / 56 * u(0, 0, 3);
    }
    if (plane == 1 && Order > 2) {
      return -31.0 / 24 * u(0, 0, -1) + 29.0 / 24 * u() - 3.0 / 40 * u(0, 0, 1) +
             1.0 / 168 * u(0, 0, 2);
    }
    return d_up_to<Order, Onto::face>(2 * plane, u);
  }
  template <int Order, Axis A>
  GOBAN_FUNCTION auto of_velocity(const auto& u, const auto& vz, double slope) const {
    if (plane == 0) return u();  // the shear stress is 0 whatever this is: the modulus is
    if (plane == 1 && Order > 2) {
      const auto at_surface = slope * d<A, Order, Onto::face>(vz.shift(Axis::z, -1));
      return 1.0 / 22 * at_surface - 577.0 / 528 * u(0, 0, -1) + 201.0 / 176 * u() -
             9.0 / 176 * u(0, 0, 1) + 1.0 / 528 * u(0, 0, 2);
    }
    return d_up_to<Order, Onto::face>(2 * plane, u);
  }
};

/// Planes below a free surface whose differences are not those of Deep.
template <int Order>
inline constexpr int shallow_planes = Order / 2;

}  // namespace goban::seismic
