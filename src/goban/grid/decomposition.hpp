#pragma once
// Who owns which box: the grid cut along each axis, every combination of pieces one patch.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "goban/grid/box.hpp"
#include "goban/grid/location.hpp"

namespace goban {

struct GridState;

/// A tensor product of cuts. Patch numbers run x fastest.
struct Decomposition {
  /// cuts[a] = {0, ..., cells[a]}, strictly increasing.
  std::array<std::vector<Index>, 3> cuts;

  Index3 process_grid() const {
    return {static_cast<Index>(cuts[0].size()) - 1, static_cast<Index>(cuts[1].size()) - 1,
            static_cast<Index>(cuts[2].size()) - 1};
  }
  int patches() const { return static_cast<int>(product(process_grid())); }
  Index3 coordinates(int patch) const;
  int at(Index3 coordinates) const;
  /// Global cells of a patch.
  Box owned(int patch) const;
  /// Smallest extent of any patch along an axis.
  Index smallest(int axis) const;
};

/// A patch as the schedule sees it; local index 0 is the first owned cell.
struct PatchGeometry {
  int patch = 0;
  Box owned;                                     ///< global cells
  std::array<std::array<int, 2>, 3> neighbor{};  ///< patch number, -1 at a physical boundary
  std::array<bool, 3> extra{};                   ///< holds the last wall face along this axis

  bool is_interior(int axis, Side side) const { return neighbor[axis][index_of(side)] >= 0; }
  /// Owned values of a field at this location, local indices.
  Box owned_local(Location location) const;
  /// `by` on interior sides, nothing on physical ones.
  Extents interior(const Extents& by) const;
};

std::vector<PatchGeometry> geometry(const Decomposition& decomposition, const GridState& grid);

/// Even cuts: extents differ by at most one. Errors (ExitCode::usage): more pieces than cells.
Decomposition cut_evenly(Index3 cells, Index3 pieces);
/// Explicit extents per axis ("30,34"); an empty text is one piece. Errors: a sum that is not the
/// number of cells.
Decomposition cut_explicitly(Index3 cells, const std::array<std::string, 3>& extents);

}  // namespace goban
