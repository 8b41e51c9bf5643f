#pragma once
// The outputs of a run, written as the loop over time goes on.

#include <functional>
#include <string>
#include <vector>

#include "goban/program/step_clock.hpp"
#include "goban/simulation/output/output.hpp"
#include "goban/simulation/plan/engines.hpp"
#include "goban/simulation/plan/run_plan.hpp"
#include "goban/simulation/run/unwritten_files.hpp"

namespace goban {

/// All calls are collective.
class OutputWriters {
 public:
  /// `watch_for_nan` throws where a field has lost its numbers. `seconds`: what writing takes is
  /// added to it.
  OutputWriters(RunPlan& plan, Engines& engines, const StepClock& clock, UnwrittenFiles& files,
                double& seconds, std::function<void()> watch_for_nan)
      : plan_(plan),
        engines_(engines),
        clock_(clock),
        files_(files),
        seconds_(seconds),
        watch_for_nan_(std::move(watch_for_nan)) {}

  /// `unknown`: outputs that the checkpoint does not know; they begin with their next moment.
  void open(const RunPlace& place, const Clock& now, bool restarted,
            const std::vector<std::string>& unknown);
  /// Samples of the steps that outputs have not seen.
  void write_samples(double wall);
  /// Writes the outputs that are due; with `over`, those that act when the run has finished.
  void write_due(const Clock& now, bool over);
  /// What must not change has not.
  void check_conserved();
  /// A finished run is one whose rows outlast the power.
  void sync();

 private:
  void write(SimulationOutput& output, const Moment& moment);
  bool is_adjusted() const;

  RunPlan& plan_;
  Engines& engines_;
  const StepClock& clock_;
  UnwrittenFiles& files_;
  double& seconds_;
  std::function<void()> watch_for_nan_;
};

}  // namespace goban
