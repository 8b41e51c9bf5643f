#pragma once
// Reports on the execution plans that there were to choose from.

#include <string>
#include <vector>

#include "goban/performance/model/step_plan.hpp"

namespace goban {

/// One plan that there was to choose from. Times are seconds per step; 0 means unknown.
struct PlanReport {
  StepPlan plan;
  double predicted = 0, measured = 0;
  bool is_dropped = false;  ///< it was not tried because of its predicted time
};

/// "R = 1 2.1 ms predicted, 2.2 ms measured; not tried: R = 8 5 ms predicted".
std::string text_of(const std::vector<PlanReport>& plans);

}  // namespace goban
