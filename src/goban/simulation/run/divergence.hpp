#pragma once
// A run whose values have become NaN or infinite is stopped before it spoils what is good.

#include <string>
#include <utility>
#include <vector>

#include "goban/simulation/plan/run_plan.hpp"

namespace goban {

/// Looks for NaN and infinity in all live fields that change. What stays as it is may mean
/// something by it: the compliance of a fluid is infinite.
class FiniteWatch {
 public:
  /// Looks together, which nobody has asked about.
  static constexpr Index most_looks = 1024;

  FiniteWatch(const Engines& engines, std::string advice)
      : engines_(engines), advice_(std::move(advice)) {}

  /// Looks at the fields as they are after so many steps; devices do so behind what they were
  /// given, while the host goes on.
  void look(Index step);
  /// Waits for what was looked at, if anything was. Error (diverged): names field, step and cell of
  /// what was found first. Collective.
  void require_finite();

 private:
  const Engines& engines_;
  std::string advice_;
  std::vector<Index> steps_;  ///< steps that were looked at since the last answer
};

/// <name>_diverged: the fields that the run shows in snapshots anyway; a run that writes none asks
/// for no such files. Error (files).
void write_diverged_fields(const RunPlan& plan, Engines& engines, const StepClock& clock,
                           const RunPlace& place, double wall);

}  // namespace goban
