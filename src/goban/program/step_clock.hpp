#pragma once
// Where a program stands in simulated time.

#include <memory>

#include "goban/base/types.hpp"
#include "goban/program/parameter.hpp"

namespace goban {

/// Functors see it through `site`. While dt stays what it is, n steps take from `begin` to
/// begin + n dt, rounded once: sums would drift away from the moments that are meant.
struct StepClock {
  Index step = 0;
  double time = 0;
  double dt = 1;  ///< simulated time per step, unless `dt_parameter` gives it
  std::shared_ptr<const ParameterRecord> dt_parameter = {};
  /// Steps of one length and where they began; it goes to checkpoints with `step` and `time`.
  struct Pace {
    Index step;
    double begin, dt;

    double time_of(Index later) const { return begin + static_cast<double>(later - step) * dt; }
  } pace{0, 0, 0};

  double current_dt() const { return dt_parameter ? dt_parameter->value : dt; }
  /// When the step at hand ends.
  double end_of_step() const { return pace_of_step().time_of(step + 1); }
  void advance() {
    pace = pace_of_step();
    time = pace.time_of(++step);
  }

 private:
  Pace pace_of_step() const {
    const double now = current_dt();
    return pace.dt == now && pace.time_of(step) == time ? pace : Pace{step, time, now};
  }
};

}  // namespace goban
