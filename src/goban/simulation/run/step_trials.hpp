#pragma once
// What a step takes in one way and another, measured without a run.

#include <vector>

#include "goban/domain/engine/engine.hpp"
#include "goban/domain/engine/plan_report.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban {

struct StepTrials {
  Index3 patches{1, 1, 1};
  StepPlan plan;                  ///< the fastest
  double seconds = 0;             ///< a step in it
  double seconds_at_first = 0;    ///< by the plan that a run begins with
  std::vector<PlanReport> plans;  ///< empty: there is one
};

/// Compares plans to run the step of a simulation for about so many seconds, without anything that
/// happens between steps; what it computes is lost. Collective.
StepTrials try_plans(Simulation& simulation, double seconds);

}  // namespace goban
