#pragma once
// Cells near the ends of a grid, whose values ghosts beyond are made of.

#include <array>
#include <optional>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban::detail {

/// Cells at one distance from one end of the grid, along one axis or several: a box, and the ghosts
/// that mirror them.
struct MirroredCells {
  /// Along an axis: nothing mirrors, or the ghost beyond this side of the cell in this layer.
  struct Along {
    bool is_mirrored = false;
    Side side = Side::low;
    int layer = 0;  ///< cells between this one and the end
  };
  std::array<Along, 3> along{};
  Box box{};

  /// The factor with which ghosts hold these values, under these conditions.
  double weight(const BoundarySet& sides) const;
  /// Where the functor reads these ghosts at `offset`: the way there from the mirrored cell. None:
  /// no cell inside does.
  std::optional<std::array<int, 3>> shift(const std::array<int, 3>& offset) const;
};

/// All that reads at these offsets may meet.
std::vector<MirroredCells> mirrored_ends(const GridState& grid,
                                         const std::vector<std::array<int, 3>>& offsets);

/// Error (ExitCode::usage): what is beyond the ends of this field, which the stage reads, has no
/// derivative.
void check_ends(const FieldRecord& field, const Stage& stage);

}  // namespace goban::detail
