#pragma once
// A run whose values have become NaN or infinite is stopped before it spoils what is good.

#include <string>
#include <vector>

#include "goban/simulation/plan/run_plan.hpp"

namespace goban {

/// Throws Error (diverged) that names field, step and cell if any live field that changes holds NaN
/// or infinity. What stays as it is may mean something by it: the compliance of a fluid is
/// infinite.
void check_finite(const std::vector<LiveField>& fields, Index step, const std::string& advice);

/// <name>_diverged: the fields that the run shows in snapshots anyway; a run that writes none asks
/// for no such files. Error (files).
void write_diverged_fields(const RunPlan& plan, Engines& engines, const StepClock& clock,
                           const RunPlace& place, double wall);

}  // namespace goban
