#pragma once
// What is said of the ways to run a step that there were to choose from.

#include <string>
#include <vector>

#include "goban/performance/model/step_prediction.hpp"

namespace goban {

/// One of the ways to run a step that there were to choose from; seconds a step, 0: nobody knows.
struct WayReport {
  StepPlan plan;
  double predicted = 0, measured = 0;
  bool is_dropped = false;  ///< not tried, by what was predicted
};

/// "R = 1 2.1 ms predicted, 2.2 ms measured; not tried: R = 8 5 ms predicted".
std::string text_of(const std::vector<WayReport>& ways);

}  // namespace goban
