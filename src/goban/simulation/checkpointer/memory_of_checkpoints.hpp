#pragma once
// What copies of the state take of the memory of this process.

#include "goban/simulation/plan/engines.hpp"
#include "goban/simulation/plan/run_plan.hpp"

namespace goban {

/// Bytes of this rank: copies of the state that are saved while the run goes on or that steps are
/// computed twice from, and, where the
/// folder of the nodes lies in memory, what is to be kept there and is not there yet.
Index memory_of_checkpoints(const RunPlan& plan, const Engines& engines);

}  // namespace goban
