#pragma once
// The pieces of halos that neighbours send and the fills of ghosts at physical boundaries, of one
// component on one patch.

#include <vector>

#include "goban/program/schedule.hpp"

namespace goban {

/// A wall value on a face field sets the wall face itself too, whether or not it is read.
bool sets_wall(const FieldRecord& field, int component, int axis, Side side);
/// Whether this holds for some component.
bool sets_wall(const FieldRecord& field, int axis, Side side);
bool sets_wall(const FieldRecord& field, int axis);
bool sets_wall(const FieldRecord& field);

/// `width` layers of the halo of `patch` on one side, over the other axes' range of `target`.
Piece halo_piece(Component what, int item, const PatchGeometry& patch, const PatchGeometry& other,
                 int axis, Side side, Index width, Box target);

/// How far a fill reaches along the other axes.
struct FillSpan {
  bool corners = false;         ///< over the halos that earlier axes have filled
  bool computed_ahead = false;  ///< over the halos of later axes, computed like owned cells
};

/// Error (ExitCode::usage), on all ranks alike: a halo as wide as this is deeper somewhere than the
/// patch that it comes from or whose values it mirrors.
void require_fit(const Patches& patches, const FieldRecord& field, const Extents& need);

/// The fill of one side, if it has anything to set; ghosts mirror no more than the patch owns.
std::vector<Operation> boundary_fills(const PatchGeometry& patch, const FieldRecord& field,
                                      Component what, const Extents& need, int axis, Side side,
                                      FillSpan span);

}  // namespace goban
