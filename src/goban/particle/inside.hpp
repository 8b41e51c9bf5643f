#pragma once
// Which nodes lie in a body.

#include <cmath>

#include "goban/particle/body.hpp"

namespace goban {

/// A kernel that ends at the surface of a body.
inline device::BodyKernel kernel_of_surface(const BodyShape& shape) {
  device::BodyKernel whole{};
  for (std::size_t a = 0; a < 3; ++a) whole.width[a] = shape.semi_axes[a] / 2;
  whole.reach = whole.sum_unit = 1;
  return whole;
}

/// How far a point is from the position of a body, over how far the surface is in its direction;
/// `place` is made of that kernel.
inline double part_of_surface(const device::BodyPlace& place, const Real3& from_position) {
  double square = 0;
  for (const auto& e : place.axes) {
    const double y = e[0] * from_position[0] + e[1] * from_position[1] + e[2] * from_position[2];
    square = square + y * y;
  }
  return std::sqrt(square) / 2;
}

/// Calls visit(node) for the nodes whose middle lies in a body, beyond the ends of the grid, too.
template <class Visit>
void visit_nodes_inside(const device::BodyState& body, const BodyShape& shape, const Visit& visit) {
  const device::BodyPlace place = device::place_of(body, kernel_of_surface(shape));
  Index3 at;
  for (at[2] = place.lower[2]; at[2] < place.upper[2]; ++at[2]) {
    for (at[1] = place.lower[1]; at[1] < place.upper[1]; ++at[1]) {
      for (at[0] = place.lower[0]; at[0] < place.upper[0]; ++at[0]) {
        Real3 r;
        for (std::size_t a = 0; a < 3; ++a) {
          r[a] = static_cast<double>(at[a]) + 0.5 - place.position[a];
        }
        if (part_of_surface(place, r) <= 1) visit(at);
      }
    }
  }
}

}  // namespace goban
