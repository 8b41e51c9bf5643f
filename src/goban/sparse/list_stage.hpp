#pragma once
// Sweeps over boxes become sweeps over lists of active cells: what they read of neighbours is found
// by a table.

#include <memory>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// What stands in tables for a cell that is not active: ~face, see ListNeighbor::face.
constexpr std::int32_t list_wall(int face) { return ~face; }

using ListOffsets = std::vector<std::array<int, 3>>;

/// From a cell to those that a stage reads beside it, each once, sorted.
ListOffsets list_offsets(const Stage& sweep);
/// How many cells away the farthest lies along some axis.
int list_reach(const ListOffsets& offsets);
/// The functor asks where a cell lies.
bool asks_for_place(const Stage& sweep);

/// Fields of goban's own that a stage over a list takes along; null: it needs none.
struct ListTables {
  /// int32, in whose memory backend/kernels/list_table.hpp has the neighbours at each of
  /// `offsets`, which hold all that the stage reads.
  std::shared_ptr<FieldRecord> neighbors;
  ListOffsets offsets;
  std::shared_ptr<FieldRecord> places;  ///< int32, 3 components: where a cell lies in the box
  std::shared_ptr<FieldRecord> region;  ///< uint8: not 0 in the stage's region
  Index ghosts = 0;                     ///< see Stage::list_ghosts
};

/// Error (ExitCode::usage): it has something that lists of active cells have not.
void check_list_stage(const Stage& stage);
/// The stage on the list; fields, numbers and results are the same.
std::shared_ptr<Stage> on_list(const Stage& sweep, const ListTables& tables);

}  // namespace goban
