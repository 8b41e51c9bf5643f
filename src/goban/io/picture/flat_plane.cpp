#include "goban/io/picture/flat_plane.hpp"

#include <fmt/format.h>

#include "goban/base/error.hpp"

namespace goban {

FlatPlane::FlatPlane(const ArrayView& plane, int component) {
  const Index3 n = plane.extents;
  require(n[0] > 0 && n[1] > 0 && n[2] > 0 && (n[0] == 1 || n[1] == 1 || n[2] == 1),
          fmt::format("an array of {} cells is not a plane", text_of(n)),
          "one of the extents must be 1", "take a slice first");
  require(component >= 0 && component < plane.components,
          fmt::format("there is no component {} of '{}'", component, plane.name),
          fmt::format("it has {}", plane.components));
  view_ = component_of(plane, component);
  if (n[2] != 1) up_ = Axis::z;
  if (n[2] != 1 && n[1] != 1) across_ = Axis::y;
}

double FlatPlane::at(Index i, Index j) const {
  Index3 cell = {0, 0, 0};
  cell[index_of(across_)] = i;
  cell[index_of(up_)] = j;
  return view_.at(cell[0], cell[1], cell[2]);
}

double FlatPlane::mean(Index i0, Index i1, Index j0, Index j1) const {
  if (i1 - i0 == 1 && j1 - j0 == 1) return at(i0, j0);
  double sum = 0;
  for (Index j = j0; j < j1; ++j)
    for (Index i = i0; i < i1; ++i) sum += at(i, j);
  return sum / static_cast<double>((i1 - i0) * (j1 - j0));
}

}  // namespace goban
