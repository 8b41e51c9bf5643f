#pragma once
// The medium on the grid: conductivity of the cells, conductance of the faces between them.

#include "goban/base/communicator.hpp"
#include "goban/field/field.hpp"
#include "heat/model.hpp"

namespace goban::heat {

/// The same kinds of ends with nothing flowing through walls: for what is defined inside alone.
BoundarySet closed(const BoundarySet& boundary);

/// What limits the time step, m2/s: the largest conductivity over the capacity where there is one;
/// of several capacities the largest of min(2 k, largest k) / c, as a face between k and k'
/// conducts at most 2 k. Collective: every rank looks at a part of the image.
double largest_diffusivity(const Medium& medium, Communicator& ranks);

/// T: float, double or half. A wall face conducts like the cell inside of it; in series with the
/// film of the fluid where there is convection, whose temperature then is that of the face.
template <class T, class Layout>
class Conductances {
 public:
  /// Fills all four fields; the conductances are those of Join with this scale.
  Conductances(Grid& grid, const Model& model, Real3 scale);

  Field<T, 1, Layout> conductivity;  ///< W/(m K), cells
  Field<T, 1, Layout> x, y, z;       ///< lower faces of the cells
};

}  // namespace goban::heat
