#pragma once
// Steps that are computed twice: what memory and processors get wrong is found where it changes a
// bit of one of the two results.

#include <cstdint>
#include <vector>

#include "goban/checkpoint/state_copy.hpp"
#include "goban/simulation/plan/run_plan.hpp"

namespace goban {

class RepeatCheck {
 public:
  RepeatCheck(RunPlan& plan, Engines& engines, StepClock& clock);

  /// The interval: one of so many steps is computed twice; 0: none.
  Index interval() const { return plan_.options.repeat_check; }
  bool is_due() const { return interval() > 0 && clock_.step % interval() == 0; }

  /// After Engine::run, collective: `steps` are computed again from what hold() has copied before.
  /// Error (corrupted) naming field, step, cell, both values and who computed it.
  void hold();
  void repeat(Index steps);

  /// Collective: fields that no step writes are what they were at the first call. Error
  /// (corrupted).
  void check_constants();

 private:
  void give_back();
  void compare(std::size_t array) const;

  RunPlan& plan_;
  Engines& engines_;
  StepClock& clock_;
  CheckpointSubject subject_;  ///< fields that steps change; owned as they were at hold()
  StateCopy before_, once_;    ///< state before the steps, later of the second result; first one
  StepClock clock_before_;
  std::vector<double> numbers_;           ///< parameters, before the steps
  std::vector<std::uint64_t> checksums_;  ///< per constant field
  Index checked_step_ = -1;
};

}  // namespace goban
