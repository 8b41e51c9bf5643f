#pragma once
// Carries out a plan: the loop over time, and what happens between cycles.

#include "goban/simulation/plan/run_plan.hpp"
#include "goban/simulation/run.hpp"
#include "goban/simulation/run_report.hpp"

namespace goban {

/// Errors: as of everything it calls. STATUS then says why; where a field holds NaN, a snapshot
/// <name>_diverged shows the fields of the run's snapshots.
RunStatus drive(RunPlan& plan, RunReport& report);

}  // namespace goban
