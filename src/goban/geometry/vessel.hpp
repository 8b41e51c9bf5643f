#pragma once
// The cells of a vessel, and what lies beside those at its wall and its openings.

#include <array>
#include <span>
#include <vector>

#include "goban/base/links.hpp"
#include "goban/geometry/opening.hpp"
#include "goban/geometry/wall.hpp"
#include "goban/grid/active_cells.hpp"

namespace goban {

/// A cell that has a neighbour which is no fluid.
struct RimCell {
  Index3 cell{};
  int opening = -1;  ///< that some of its links meet; -1: none
  /// One for each of face_and_edge_links: 0, fluid is there; positive, the part of it before the
  /// wall; negative, that before the opening.
  std::array<float, 18> parts{};
  /// To the nearest point of the wall, in cells, 0 where no link meets it: onto the plane that lies
  /// nearest to where links of the cell and its neighbours meet the wall.
  Real3 to_wall{};
};

struct Vessel {
  ActiveCells fluid;
  std::vector<RimCell> rim;  ///< in the order of the list
};

/// The fluid is what lies before the openings: their discs, a cell larger, cut links; what hangs on
/// their outer side alone is left out.
/// Errors (usage), one line: no cell; fluid that does not hang together; an opening that fluid does
/// not touch, or gets around; a wall that the vessel does not have where the grid ends; parts that
/// are thinner than three cells, which is where no cell within two links has fluid all around.
Vessel make_vessel(ActiveCells inside, const VesselWall& wall, const CellPlace& place,
                   std::span<const Opening> openings);

}  // namespace goban
