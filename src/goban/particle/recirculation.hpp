#pragma once
// Bodies that leave a vessel through an opening and come back through another.

#include <functional>
#include <vector>

#include "goban/particle/body.hpp"

namespace goban {

class Population;

/// A disc across a vessel through which fluid comes and goes. Lengths are in nodes, positions from
/// the lower corner of the grid.
struct BodyOpening {
  Real3 center{};
  Real3 normal{1, 0, 0};  ///< out of the fluid, of length 1
  double radius = 0;
  /// A body whose position is nearer to the disc than this leaves.
  double depth = 0;
  /// Returns the volume of fluid that enters in a step. The larger it is, the more bodies enter
  /// here; none do where it is not positive.
  std::function<double()> inflow;

  /// Returns how far a position in the vessel before the opening is from the disc; infinite
  /// elsewhere.
  double distance(const double (&position)[3]) const;
};

/// After so many steps recirculate() has to be called again: in them a body moves at most by the
/// depth of any opening, and so passes no disc. 1 to 8.
Index steps_between_looks(const std::vector<BodyOpening>& openings);

/// Moves the bodies that leave to places before openings where fluid enters, at random over its
/// parabolic profile, where they lie in the fluid and overlap no other body. A body for which there
/// is no room goes on and tries again in the next call. The number of bodies stays, and bits do
/// not depend on ranks: places follow from a body's id and position. Collective.
void recirculate(Population& population, const std::vector<BodyOpening>& openings);

}  // namespace goban
