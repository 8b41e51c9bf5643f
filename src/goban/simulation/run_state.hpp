#pragma once
// What a checkpoint of a simulation holds, to and from the store.

#include "goban/checkpoint/content.hpp"
#include "goban/simulation/run_plan.hpp"

namespace goban {

/// The live fields, by global index, and the arrays of outputs.
CheckpointSubject subject_of(RunPlan& plan, const Engines& engines);

/// Clock, parameters, schedules and outputs; for human readers the case, too.
CheckpointState state_of(const RunPlan& plan, const Engines& engines, const StepClock& clock);

/// Puts parameters, schedules and outputs back and the clock where it was. Returns the names of
/// outputs the checkpoint does not know.
/// Error (no_checkpoint): a parameter of this run is not in it.
std::vector<std::string> restore_state(const CheckpointState& state, RunPlan& plan,
                                       const Engines& engines, StepClock& clock);

}  // namespace goban
