#pragma once
// Finds the fastest of several execution plans by running the same program with each of them in
// turn.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/performance/model/step_plan.hpp"

namespace goban {

/// The measured or predicted time of a step with a plan, in seconds.
struct PlanTime {
  StepPlan plan;
  double seconds = 0;
};

/// The predicted time of a step with a plan, in seconds; 0 means unknown.
struct PlanForecast {
  StepPlan plan;
  double seconds = 0;
  double overlapping = 0;  ///< the same with halos that travel while sweeps go on
  bool operator==(const PlanForecast&) const = default;
};

/// The plans to choose from. With `tries_overlap` each may also be run with halos that travel while
/// sweeps go on.
struct PlanOffer {
  std::vector<PlanForecast> plans;
  bool tries_overlap = false;
  bool operator==(const PlanOffer&) const = default;
};

/// The plans that are worth a trial, and those that are not.
struct NearPlans {
  std::vector<StepPlan> tried;
  bool tries_overlap = false;      ///< see PlanChoice::PlanChoice()
  std::vector<PlanTime> expected;  ///< predicted times of those tried; empty if unknown
  std::vector<PlanTime> dropped;   ///< predicted times of those not tried
};

/// Sorts the plans by predicted time, the fastest first, and drops those that are predicted to take
/// longer than 1 + `margin` times as long as the fastest. If any plan has no prediction all are
/// tried in the order in which they are offered. A pure function: ranks that call it with the same
/// values try the same plans.
NearPlans near_plans(const PlanOffer& offer, double margin);

/// The purpose of trials: a run, which must not lose much time by them, or tuning, which is to find
/// the fastest plan.
enum class Trials : std::uint8_t { of_run, of_tuning };

/// Compares candidates by running them. The best plan so far and a challenger, the next candidate,
/// run alternating turns so that disturbances hit both alike; the one with the shorter median time
/// stays. A turn is some cycles. The first turn of each of the two does not count, because then
/// launch shapes are tried, memory moves and cycles are recorded.
///
/// Candidates are ordered with the most promising first, or by steps per exchange, over which the
/// cost has one minimum, apart from exchanges before every step, which may travel in another way.
/// Trials of a run end after two candidates in a row that beat neither the best nor the candidate
/// before them; tuning compares all. With `tries_overlap` the first plan of single sweeps is also
/// tried with the other setting of overlap, and the result decides it for the candidates after it.
///
/// A challenger whose turns have cost the run too much waits until the best has run for long
/// enough; otherwise short runs of many fields would be little but trials. In tuning none waits.
/// All ranks must add the same times.
class PlanChoice {
 public:
  PlanChoice() : PlanChoice({StepPlan{}}) {}
  /// Takes at least one candidate. The first counts as the best until another beats it.
  explicit PlanChoice(std::vector<StepPlan> candidates, bool tries_overlap = false,
                      Trials trials = Trials::of_run);

  bool is_open() const { return challenger_ < candidates_.size(); }
  /// Returns the plan whose turn it is; the best plan once trials are over.
  const StepPlan& current() const;
  const StepPlan& best() const { return candidates_[best_]; }
  /// Returns whether the current plan has never run. It may turn out that it cannot, see refuse().
  bool is_new() const { return is_open() && who() == 1 && times_[1].empty() && !warm_[1]; }
  /// Drops the current plan, which cannot be run, and the untried ones with cycles as long or
  /// longer.
  void refuse();
  /// Ends the trials and keeps the best plan so far. If that is one of single sweeps with cycles
  /// longer than the `steps` that are run at a time, its cycles become one step long.
  void close(Index steps);
  /// Returns the plans that have been compared, with the medians of their times.
  const std::vector<PlanTime>& compared() const { return compared_; }
  /// Returns the number of cycles in the current turn: enough for a measurement, by the time that a
  /// step takes. `at_once` is the number of cycles that are recorded together, 0 if none are; turns
  /// are long enough to replay them.
  Index cycles(Index at_once) const;
  /// Adds the time of a turn of this number of steps.
  void add(double seconds, Index steps = 1);

 private:
  /// Returns whether it is the challenger's turn, but its turns have cost too much so far.
  bool waits() const;
  std::size_t who() const { return turns_ % 2 == 1 && !waits() ? 1 : 0; }
  void decide();
  void note(const StepPlan& plan, double seconds);

  Trials trials_ = Trials::of_run;
  std::vector<StepPlan> candidates_;  ///< the plans offered, and `other_overlap_`
  /// The plan that was added to try the other setting of overlap.
  std::optional<StepPlan> other_overlap_;
  std::size_t best_ = 0, challenger_ = 1;
  int lost_in_a_row_ = 0;
  /// Median of the latest challenger, seconds per step.
  double latest_ = std::numeric_limits<double>::infinity();
  int turns_ = 0;               ///< turns of the present pair; the best has the even ones
  std::array<bool, 2> warm_{};  ///< whether the best and the challenger had their first turn
  std::array<std::vector<double>, 2> times_;  ///< seconds per step of the turns that count
  std::array<double, 2> step_{};              ///< seconds per step of the latest turn of each
  double spent_ = 0;                          ///< seconds of all turns
  double lost_ = 0;  ///< seconds that challengers took longer than the best would have
  std::vector<PlanTime> compared_;
};

}  // namespace goban
