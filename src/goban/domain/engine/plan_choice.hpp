#pragma once
// The fastest of several plans to run the same steps, found by running them in turn.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/performance/model/step_plan.hpp"

namespace goban {

/// What a step takes by a plan, in seconds.
struct PlanTime {
  StepPlan plan;
  double seconds = 0;
};

/// What a step is predicted to take by a plan; 0: nobody knows.
struct PlanForecast {
  StepPlan plan;
  double seconds = 0;
  double overlapping = 0;  ///< with halos that travel beside sweeps
  bool operator==(const PlanForecast&) const = default;
};

/// Plans to choose from; `tries_overlap`: also with halos that travel beside sweeps.
struct PlanOffer {
  std::vector<PlanForecast> plans;
  bool tries_overlap = false;
  bool operator==(const PlanOffer&) const = default;
};

/// Plans that are worth a trial, and those that are not.
struct NearPlans {
  std::vector<StepPlan> tried;
  bool tries_overlap = false;      ///< see PlanChoice
  std::vector<PlanTime> expected;  ///< times of those tried, as predicted; empty: nobody knows
  std::vector<PlanTime> dropped;   ///< times of those not tried, as predicted
};

/// The fastest by prediction comes first; dropped are those that are predicted to take longer than
/// 1 + `margin` times as long. All are tried, in the order in which they are offered, where one of
/// them could not be predicted. Pure: ranks that ask with the same values try the same plans.
NearPlans near_plans(const PlanOffer& offer, double margin);

/// What trials are for: a run, which must not lose much by them, or to find the fastest.
enum class Trials : std::uint8_t { of_run, of_tuning };

/// The best so far meets the next of the candidates, turn by turn so that both meet the same
/// disturbances, and the one with the shorter median stays. Candidates come with the most promising
/// first, or by R, over which costs have one minimum, exchanges before every step aside, which may
/// go another way: two in a row that beat neither the best nor the candidate before them end it.
/// The first sweeps may also be tried with halos that travel while they go on, or do not where that
/// is the first guess, and decide it for the candidates after them. A turn is some cycles; the
/// first of each of the two does not count, for kernels are tried, memory moves and cycles are
/// recorded. A challenger whose turns have cost too much of the run waits until the best has run
/// for long enough: runs with many fields that end soon would be trials and little else. Tuning
/// compares all candidates, and none waits. All ranks must add the same times.
class PlanChoice {
 public:
  PlanChoice() : PlanChoice({StepPlan{}}) {}
  /// Takes at least one candidate; the first is the best as long as no other is.
  explicit PlanChoice(std::vector<StepPlan> candidates, bool tries_overlap = false,
                      Trials trials = Trials::of_run);

  bool is_open() const { return challenger_ < candidates_.size(); }
  /// The plan whose turn it is; the best when nothing is open any more.
  const StepPlan& current() const;
  const StepPlan& best() const { return candidates_[best_]; }
  /// Nothing of this plan has run yet: it may turn out that it cannot.
  bool is_new() const { return is_open() && who() == 1 && times_[1].empty() && !warm_[1]; }
  /// The current plan cannot be run, nor can those with cycles as long.
  void refuse();
  /// No more turns: the best so far it is, or single sweeps if it is wide halos for cycles longer
  /// than the `steps` that are run at a time.
  void close(Index steps);
  /// The plans that have been compared, with their medians.
  const std::vector<PlanTime>& compared() const { return compared_; }
  /// Cycles of the current turn, from what a step takes: enough to be measured. Those that are
  /// recorded, so many at once, are to be replayed, too; `at_once` is 0 if none is.
  Index cycles(Index at_once) const;
  /// After a turn of so many steps.
  void add(double seconds, Index steps = 1);

 private:
  /// The challenger's turn has come, but its turns have cost too much so far.
  bool waits() const;
  std::size_t who() const { return turns_ % 2 == 1 && !waits() ? 1 : 0; }
  void decide();
  void note(const StepPlan& plan, double seconds);

  Trials trials_ = Trials::of_run;
  std::vector<StepPlan> candidates_;       ///< the plans offered, and one with the other overlap
  std::optional<StepPlan> other_overlap_;  ///< the plan with the other overlap
  std::size_t best_ = 0, challenger_ = 1;
  int lost_in_a_row_ = 0;
  double latest_ = std::numeric_limits<double>::infinity();  ///< candidate's seconds a step
  int turns_ = 0;                             ///< turns of this pair: even ones are the best's
  std::array<bool, 2> warm_{};                ///< best and challenger had their first turn
  std::array<std::vector<double>, 2> times_;  ///< seconds a step, of turns that count
  std::array<double, 2> step_{};              ///< seconds, of the latest turn of each
  double spent_ = 0;                          ///< seconds, of all turns
  double lost_ = 0;                           ///< seconds of these that the best would have saved
  std::vector<PlanTime> compared_;
};

}  // namespace goban
