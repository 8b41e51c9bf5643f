#pragma once
// Which nodes lie in a body.

#include "goban/particle/body.hpp"

namespace goban {

/// Calls visit(node) for the nodes whose middle lies in a body, beyond the ends of the grid, too.
template <class Visit>
void visit_nodes_inside(const device::BodyState& body, const BodyShape& shape, const Visit& visit) {
  device::BodyKernel whole{};  // which ends at the surface
  for (std::size_t a = 0; a < 3; ++a) whole.width[a] = shape.semi_axes[a] / 2;
  whole.reach = whole.sum_unit = 1;
  const device::BodyPlace place = device::place_of(body, whole);
  Index3 at;
  for (at[2] = place.lower[2]; at[2] < place.upper[2]; ++at[2]) {
    for (at[1] = place.lower[1]; at[1] < place.upper[1]; ++at[1]) {
      for (at[0] = place.lower[0]; at[0] < place.upper[0]; ++at[0]) {
        double square = 0;
        for (const auto& e : place.axes) {
          double y = 0;
          for (std::size_t i = 0; i < 3; ++i) {
            y = y + e[i] * (static_cast<double>(at[i]) + 0.5 - place.position[i]);
          }
          square = square + y * y;
        }
        if (square <= 4) visit(at);
      }
    }
  }
}

}  // namespace goban
