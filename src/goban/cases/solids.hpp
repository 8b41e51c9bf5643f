#pragma once
// Bodies at rest that a fluid flows around: simple shapes, images and closed surfaces.

#include <memory>
#include <string>
#include <vector>

#include "goban/grid/grid.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban {

/// A body of a simple shape; lengths in m. It goes on through periodic sides.
struct SolidBody {
  enum class Shape {
    box,      ///< lower <= position < upper
    sphere,   ///< within `radius` of `center`
    cylinder  ///< within `radius` of the line through `center` along `axis`, from lower to upper
  };
  Shape shape = Shape::sphere;
  Axis axis = Axis::z;
  Real3 lower{}, upper{};
  Real3 center{};
  double radius = 1;
  Real3 period{};  ///< the grid's period along periodic axes, else 0

  bool contains(Position position) const;
  /// Along an axis, all of it lies between these, or so it is some periods further.
  double lowest(std::size_t axis) const;
  double highest(std::size_t axis) const;

 private:
  /// Whether its corners bound it along this axis; otherwise its radius does.
  bool is_bounded(std::size_t a) const {
    return shape == Shape::box ||
           (shape == Shape::cylinder && a == static_cast<std::size_t>(index_of(axis)));
  }
};

/// Cells that a file says: not 0 is solid.
struct SolidImage {
  std::shared_ptr<ImageSource> image;
  std::string what;      ///< "the surface hull.stl, from (0, 0, 0) to (1, 1, 1) m,"
  std::string remedies;  ///< what to do where it covers no cell
};

struct Solids {
  std::vector<SolidBody> bodies;
  std::vector<SolidImage> images;

  bool empty() const { return bodies.empty() && images.empty(); }
};

/// The cells that solids cover, for Field::fill:
///   SolidCells solid(solids);
///   type.fill([&](Index3 cell) { return solid.covers(cell, center of it); }, solid.prepare());
class SolidCells {
 public:
  explicit SolidCells(const Solids& solids);

  /// Whether a cell is solid that lies in the box that was shown last; for several threads.
  bool covers(Index3 cell, Position center) const;
  void show(const Box& box);
  BoxFunction prepare();

 private:
  std::vector<SolidBody> bodies_;
  std::vector<ImageWindow> images_;
};

/// What solids are on a grid.
struct SolidExtent {
  Index cells = 0;    ///< cells that they cover
  double shadow = 0;  ///< m2: faces of cells that they hide from a look along x
};
/// Collective: every rank looks at planes of its own. Error (usage): an image, or all of them,
/// cover no cell.
SolidExtent extent_of(const Solids& solids, const GridState& grid);

/// Error (usage): a probe of the case lies in a solid, where nothing flows.
void check_probes(const Case& values, const Solids& solids, const GridState& grid);

/// [[obstacle]] and [solid].
void declare_solids(CaseSchema& schema);
/// Errors: a round body without a radius, images that do not fit the grid, surfaces that cannot be
/// closed; (files) what cannot be read.
Solids read_solids(const Case& values);

}  // namespace goban
