#pragma once
// A last look at a run whose values have become NaN or infinite.

#include "goban/simulation/plan/engines.hpp"
#include "goban/simulation/plan/run_plan.hpp"

namespace goban {

/// <name>_diverged: the fields that the run shows in snapshots anyway; a run that writes none asks
/// for no such files. Error (files).
void write_diverged_fields(const RunPlan& plan, Engines& engines, const StepClock& clock,
                           const RunPlace& place, double wall);

}  // namespace goban
