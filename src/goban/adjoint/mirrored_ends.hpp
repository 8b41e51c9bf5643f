#pragma once
// Values near the ends of a grid, which ghosts beyond are made of.

#include <array>
#include <optional>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban::detail {

/// What a sweep reads of a field.
struct ReadsOfField {
  Location location = Location::cell;
  /// Per axis: how many values farther than the field the sweep goes, at the high end: 1 on faces
  /// that read cells, -1 in cells that read faces, 0 along periodic axes.
  std::array<int, 3> excess{};
  std::vector<std::array<int, 3>> offsets{};

  /// Whether all that is read lies at the place at hand, and there is such a place for each value.
  bool are_local() const;
};

/// Values at one distance from one end of the grid, along one axis or several: a box, and the
/// ghosts that mirror them.
struct MirroredCells {
  /// Along an axis: nothing mirrors, or a ghost beyond this side does.
  struct Along {
    bool is_mirrored = false;
    Side side = Side::low;
    int depth = 0;     ///< layers beyond the last value of the field, of the ghost
    int distance = 0;  ///< between the ghost and what it mirrors
    int excess = 0;    ///< of the sweep that reads it
  };
  std::array<Along, 3> along{};
  Box box{};

  /// The factor with which ghosts hold these values, under these conditions.
  double weight(const BoundarySet& sides) const;
  /// Where the functor reads these ghosts at `offset`: the way there from the mirrored value. None:
  /// it does nowhere.
  std::optional<std::array<int, 3>> shift(const std::array<int, 3>& offset) const;
};

/// All that such reads may meet.
std::vector<MirroredCells> mirrored_ends(const GridState& grid, const ReadsOfField& reads);

/// Faces at the ends that hold what a condition says (BoundaryCondition::Kind::wall_value) and not
/// what is written there: boxes of values, with the components for which that is so.
struct HeldFaces {
  Box box{};
  std::vector<int> components{};
};
std::vector<HeldFaces> held_faces(const GridState& grid, const FieldRecord& field);

/// Error (ExitCode::usage): what is beyond the ends of this field, which the stage reads, has no
/// derivative.
void check_ends(const FieldRecord& field, const Stage& stage);

}  // namespace goban::detail
