#pragma once
// Sweeps that write a field stored in place where they read it.
//
// A component q that is read at the offset o_q alone is read at x + o_q for the cell x and for no
// other: its new value at x may lie there, or elsewhere in that row if the row is read before it is
// written. The field of the new values is the memory of the old one, component q shifted by o_q but
// along rows: packs stay where lines of memory begin. Kernels read a row before they write it, and
// sweeps over other rows touch neither.

#include <array>
#include <memory>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// Positions of the arguments that are read and written; -1 where nothing is written in place.
struct InPlacePair {
  int from = -1, to = -1;
};
InPlacePair in_place_pair(const Stage& stage);

/// How far the components of a field read in place move, in cells: to where they are read, but not
/// along rows.
std::vector<std::array<int, 3>> moves_in_place(const Stage& stage, const InPlacePair& pair);

/// Errors (ExitCode::usage): a field that takes the place of another stands anywhere but as the
/// output of a sweep that pulls that other one, and in the swap of both right after it.
void check_in_place(const std::vector<std::shared_ptr<Stage>>& stages);

}  // namespace goban
