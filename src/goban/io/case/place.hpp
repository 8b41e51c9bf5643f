#pragma once
// Places in the grid of a case, and images as large as it.

#include <memory>
#include <string>

#include "goban/base/named.hpp"
#include "goban/io/case/file.hpp"
#include "goban/io/image/image_source.hpp"

namespace goban {

inline constexpr Named<Axis> axis_names[] = {{"x", Axis::x}, {"y", Axis::y}, {"z", Axis::z}};

/// Where the grid of a case lies.
struct GridPlace {
  explicit GridPlace(const Case& values);

  Index3 cells;
  Real3 spacing, lower, upper;

  Real3 middle() const;
  /// The point moved to the middle of the cell along axes that have one, on which nothing varies.
  Real3 onto_plane(Real3 position) const;
  /// Whether any cell has its centre within lower <= centre < upper, or within `radius` of
  /// `center`; cells come again beyond the grid along axes of which it says that.
  bool has_centers_between(Real3 low, Real3 high, const std::array<bool, 3>& come_again) const;
  bool has_centers_within(double radius, Real3 center, const std::array<bool, 3>& come_again) const;
  /// Its upper ends belong to it.
  bool contains(Real3 position) const;
};

/// The file of a key of paths, as large as the grid; null where none is named. Error (files).
std::shared_ptr<ImageSource> image_of(const Case& values, const std::string& key,
                                      std::optional<ElementType> type = {});

/// Declares center, radius, lower and upper of the table of a body, members of Body; `round`,
/// `radius` and `corner` say of what.
template <class Body>
void declare_place(CaseSchema& table, const std::string& round, const std::string& radius,
                   const std::string& corner) {
  table.key("center", &Body::center)
      .optional()
      .unit("m")
      .doc("centre of " + round + "; default: the middle of the grid");
  table.key("radius", &Body::radius).optional().positive().unit("m").doc(radius);
  table.key("lower", &Body::lower)
      .optional()
      .unit("m")
      .doc(corner + "; default: the grid's lower corner");
  table.key("upper", &Body::upper)
      .optional()
      .unit("m")
      .doc(corner + "; default: the grid's upper corner");
}

/// A body, which fills the grid where its table says nothing else. Where the grid has one cell
/// along an axis a round one is the cut through its centre.
template <class Body>
Body read_placed(const Case& row, const Case& values) {
  const GridPlace grid(values);
  Body body;
  body.center = grid.middle();
  body.lower = grid.lower;
  body.upper = grid.upper;
  body = row.read(body);
  body.center = grid.onto_plane(body.center);
  return body;
}

/// Error (usage) where the table of a `shape` lacks a key that this shape needs.
void require_key(const Case& row, const std::string& key, const std::string& example);

}  // namespace goban
