#pragma once
// How far a run is, how fast it goes, and what is left.

#include <string>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/program/parameter.hpp"

namespace goban {

/// What there is to tell of a run. What is 0 or empty is unknown and left out, except step and
/// time; a time that counts steps is left out, too.
struct ProgressState {
  Index step = 0;
  Index steps = 0;  ///< steps to be done in all
  double time = 0;  ///< simulated
  std::string time_unit = {};
  std::string goal = {};  ///< how far away what ends the run is
  double updates_per_second = 0;
  double effective_bandwidth = 0;  ///< bytes per second
  double copy_bandwidth = 0;       ///< bytes per second: the measured ceiling
  double fraction = -1;            ///< done, 0 to 1; negative: unknown
  double seconds_left = -1;        ///< negative: unknown
};

/// What of a run its progress is measured by.
struct ProgressPlan {
  double cells = 0;  ///< updated per step
  double bytes_per_update = 0;
  double copy_bandwidth = 0;  ///< bytes per second
  Index first_step = 0, steps = 0;
  double first_time = 0, end_time = 0;  ///< simulated; the run ends at steps or end_time,
  std::vector<Condition> goals = {};    ///< or when one of these holds
  std::string time_unit = {};
};

/// Rates are means over the last three seconds or so.
class ProgressMeter {
 public:
  explicit ProgressMeter(ProgressPlan plan);

  /// `wall`: seconds since the run started.
  ProgressState measure(Index step, double time, double wall);
  /// When that was done last, s.
  double measured() const { return measured_; }
  const ProgressPlan& plan() const { return plan_; }

 private:
  /// How far a condition is from where it was first seen to where it holds.
  struct Goal {
    Condition condition;
    double first = 0;  ///< 0: not seen yet
    double share();
  };

  ProgressPlan plan_;
  double measured_ = 0;
  Index step_;  ///< step and time then
  double time_;
  double step_rate_ = 0, time_rate_ = 0;  ///< per second, smoothed
  std::vector<Goal> goals_;
};

}  // namespace goban
