#pragma once
// The shape of a CPU kernel for a stage, derived from the footprint of its functor.

#include <array>
#include <vector>

#include "goban/backend/instruction_set.hpp"
#include "goban/program/stage.hpp"

namespace goban::cpu {

/// How an input is fetched into cache before its use.
enum class Fetch {
  none,    ///< it is not fetched: nothing is read, or too many components are read several times
  plane,   ///< plane by plane, as planes enter the stencil; see rows_ahead.hpp
  group,   ///< for groups of planes that are walked together: what their next rows need
  streams  ///< two packs ahead: every component is a stream of its own
};

/// What a functor reads of one parameter: how far along the slow and middle axes, in cells.
struct InputShape {
  Fetch fetch = Fetch::none;
  int slow_low = 0, slow_high = 0, middle_low = 0, middle_high = 0;
  /// The farthest read along the middle axis in planes other than the cell's own.
  int outer_high = 0;
  bool along_rows = false;  ///< it reads neighbours along the row
  bool has_reads = false;
};

/// What the generator, the walk through rows and the tiles have to know about a stage.
struct KernelShape {
  KernelShape() = default;
  KernelShape(const Stage& stage, const InstructionSet& isa);

  std::array<int, 3> order{0, 1, 2};  ///< the memory order of the fields: fast, middle, slow
  int widest = 1;                     ///< bytes of the widest number that is computed with
  int width = 1;                      ///< cells per pack
  std::vector<InputShape> inputs;     ///< one per parameter
  int streams = 0;                    ///< the components that are fetched plane by plane
  /// Planes that are computed together if fields come from memory. Sharing loads pays where
  /// arithmetic is cheap, that is for bytes; elsewhere fetching ahead hides what sharing would
  /// save.
  int planes = 1;
  /// Planes that are computed together if fields come from cache, in passes of several steps.
  int planes_in_cache = 1;
  /// For long reaches: a group of planes is walked together in pieces of rows, which fit into the
  /// first-level cache together with everything that the stencil reaches.
  bool walks_groups = false;
  Index piece = 0;  ///< cells of such a piece
  /// Cells between two decisions about what to fetch.
  Index chunk = 0;
  /// So much is computed that both ways of storing packs are in one loop, because a branch per pack
  /// then costs nothing.
  bool is_large = false;
  bool writes_in_place = false;
  bool is_reduction = false;
  bool reads_other_grids = false;
  bool is_list = false;  ///< it finds neighbours by tables, whose groups of cells hold whole packs

  static constexpr int group = 4, most_shares = 12;
  /// Returns the planes along the slow axis that are walked together if fields come from memory.
  int planes_together() const { return walks_groups ? group : planes; }
  /// Returns the rows of a field that are fetched along with one row of a group.
  int shares(const InputShape& input) const {
    return input.fetch != Fetch::group ? 1
                                       : 1 + (input.slow_low + input.slow_high + group - 1) / group;
  }
};

}  // namespace goban::cpu
