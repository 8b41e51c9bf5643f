#pragma once
// The wall of a vessel, as those see it who ask how far a cell is from it.

#include <memory>

#include "goban/geometry/cell_place.hpp"
#include "goban/grid/active_cells.hpp"
#include "goban/io/image/image_source.hpp"
#include "goban/io/image/stl.hpp"

namespace goban {

class VesselWall {
 public:
  virtual ~VesselWall() = default;
  /// Where the line from a point inside to one outside, at most two cells away, meets the wall: a
  /// part of its length, 0 ... 1; negative: nowhere. Safe for several threads.
  virtual double crossing(const Real3& inside, const Real3& outside) const = 0;
};

/// What is known of a vessel cell by cell, an image: its wall lies half-way.
class HalfwayWall : public VesselWall {
 public:
  double crossing(const Real3&, const Real3&) const override { return 0.5; }
};

/// The triangles of a closed surface, of whatever orientation. Where parts overlap the last one
/// along the line is the wall.
std::unique_ptr<VesselWall> wall_of(const TriangleMesh& surface, const CellPlace& place);

/// Cells that an image says, not 0. Looked at a few planes at a time: memory is that of the set and
/// of eight planes. Error(files) of the image.
ActiveCells cells_of(ImageSource& image);

}  // namespace goban
