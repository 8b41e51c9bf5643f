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

#include <algorithm>

#include "goban/stencil/operators.hpp"
#include "goban/stencil/unroll.hpp"

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

/// In cells and on faces number Plane. The members are those of Deep.
template <int Plane>
struct Shallow {
  template <int Order>
  GOBAN_FUNCTION static auto of_faces(const auto& u) {
    if constexpr (Order == 2 || Plane > 0) {
      return d<Axis::z, std::min(Order, 2 * (Plane + 1)), Onto::center>(u);
    } else {
      return -11.0 / 12 * u() + 17.0 / 24 * u(0, 0, 1) + 3.0 / 8 * u(0, 0, 2) -
             5.0 / 24 * u(0, 0, 3) + 1.0 / 24 * u(0, 0, 4);
    }
  }
  template <int Order>
  GOBAN_FUNCTION static auto of_stress(const auto& u) {
    if constexpr (Plane == 0 && Order == 2) {
      return 2 * u();
    } else if constexpr (Plane == 0) {
      return 35.0 / 8 * u() - 35.0 / 24 * u(0, 0, 1) + 21.0 / 40 * u(0, 0, 2) -
             5.0 / 56 * u(0, 0, 3);
    } else if constexpr (Plane == 1 && Order > 2) {
      return -31.0 / 24 * u(0, 0, -1) + 29.0 / 24 * u() - 3.0 / 40 * u(0, 0, 1) +
             1.0 / 168 * u(0, 0, 2);
    } else {
      return d<Axis::z, std::min(Order, 2 * Plane), Onto::face>(u);
    }
  }
  template <int Order, Axis A>
  GOBAN_FUNCTION static auto of_velocity(const auto& u, const auto& vz, double slope) {
    if constexpr (Plane == 0) {
      return u();  // the shear stress is 0 whatever this is: the modulus is
    } else if constexpr (Plane == 1 && Order > 2) {
      const auto at_surface = slope * d<A, Order, Onto::face>(vz.shift(Axis::z, -1));
      return 1.0 / 22 * at_surface - 577.0 / 528 * u(0, 0, -1) + 201.0 / 176 * u() -
             9.0 / 176 * u(0, 0, 1) + 1.0 / 528 * u(0, 0, 2);
    } else {
      return d<Axis::z, std::min(Order, 2 * Plane), Onto::face>(u);
    }
  }
};

/// Planes below a free surface whose differences are not those of Deep.
template <int Order>
inline constexpr int shallow_planes = Order / 2;

}  // namespace goban::seismic
