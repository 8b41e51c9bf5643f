#pragma once
// Where a program stands in simulated time.

#include <memory>

#include "goban/program/parameter.hpp"

namespace goban {

/// Functors see it through `site`.
struct StepClock {
  Index step = 0;
  double time = 0;
  double dt = 1;  ///< simulated time per step, unless `dt_parameter` gives it
  std::shared_ptr<const ParameterRecord> dt_parameter;

  double current_dt() const { return dt_parameter ? dt_parameter->value : dt; }
  void advance() {
    time += current_dt();
    ++step;
  }
};

}  // namespace goban
