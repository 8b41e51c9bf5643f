#pragma once
// Vessels along centre lines, whose radius changes evenly from one end of a segment to the other.

#include <memory>
#include <string>
#include <vector>

#include "goban/geometry/opening.hpp"
#include "goban/geometry/wall.hpp"

namespace goban {

/// All points within a sphere that moves from `begin` to `end` while its radius changes evenly.
struct VesselSegment {
  Real3 begin{}, end{};
  double begin_radius = 0, end_radius = 0;
  bool is_flat = false;  ///< it ends at planes across its axis, instead of half spheres
};

/// A vessel is the union of its segments.
struct CenterLines {
  std::vector<VesselSegment> segments;
  std::vector<Opening> openings;  ///< at its free ends, across its axis
};

/// With those that stand beside them along the periodic axes of a place.
std::vector<VesselSegment> repeated(const std::vector<VesselSegment>& segments,
                                    const CellPlace& place);

/// Distance of a point from the segment's surface, negative inside; beyond flat ends at most that.
double distance_from(const VesselSegment& segment, const Real3& point);

ActiveCells cells_of(const std::vector<VesselSegment>& segments, const CellPlace& place);
std::unique_ptr<VesselWall> wall_of(std::vector<VesselSegment> segments, const CellPlace& place);

/// What a generated tree of vessels looks like. Radii follow Murray, Proc. Natl. Acad. Sci. 12
/// (1926) 207: r^3 = r_1^3 + r_2^3. The angles between a vessel and its daughters are those of
/// least volume: cos a_1 = (r^4 + r_1^4 - r_2^4) / (2 r^2 r_1^2).
struct VesselTree {
  Real3 root{};             ///< where the first vessel begins
  Real3 along{1, 0, 0};     ///< its direction
  Real3 across{0, 1, 0};    ///< in the plane of the first branching
  double radius = 1;        ///< radius of the first vessel
  double length_ratio = 8;  ///< length of a vessel over its radius
  double asymmetry = 1;     ///< r_2 / r_1 of daughters, at most 1
  int generations = 2;      ///< number of generations of vessels; 2: a bifurcation
};
/// Branchings lie in planes that stand across each other. The opening at the root is called
/// "inlet", those at the ends "outlet_1", ... .
/// Errors (usage): no generation, a radius that is not positive, directions that are parallel.
CenterLines grow(const VesselTree& tree);

}  // namespace goban
