#pragma once
// A list of active cells as it would be cut into other patches.

#include "goban/domain/decomposition/grid_cost.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/performance/model/straight_run.hpp"

namespace goban {

struct ListOnPaper {
  StraightRun run;  ///< with what its stages would read of other patches
  Decomposition cut;
  ListCut measured;
};

/// The list of a run ordered and cut for so many devices a rank and these nodes of ranks, the
/// cells that patches would read of each other counted.
ListOnPaper list_on_paper(const StraightRun& run, const std::vector<int>& nodes,
                          Index devices_per_rank, const StepModel& model);

}  // namespace goban
