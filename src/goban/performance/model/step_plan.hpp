#pragma once
// The execution plan of a straight run of stages.

#include <string>

#include "goban/grid/settings.hpp"

namespace goban {

/// How the steps of a straight run are computed; values do not depend on it.
struct StepPlan {
  int steps_per_exchange = 1;  ///< R; a cycle has as many steps
  int steps_per_pass = 1;
  Overlap overlap = Overlap::none;
  bool recompute = false;
  bool operator==(const StepPlan&) const = default;
};

/// "R = 2, one-kernel", "4 steps a pass".
std::string text_of(const StepPlan& plan);

}  // namespace goban
