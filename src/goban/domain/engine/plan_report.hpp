#pragma once
// What is said of the plans to run a step by that there were to choose from.

#include <string>
#include <vector>

#include "goban/performance/model/step_plan.hpp"

namespace goban {

/// One plan that there was to choose from; seconds a step, 0: nobody knows.
struct PlanReport {
  StepPlan plan;
  double predicted = 0, measured = 0;
  bool is_dropped = false;  ///< not tried, by what was predicted
};

/// "R = 1 2.1 ms predicted, 2.2 ms measured; not tried: R = 8 5 ms predicted".
std::string text_of(const std::vector<PlanReport>& plans);

}  // namespace goban
