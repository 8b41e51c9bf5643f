#pragma once
// What a checkpoint of a simulation holds, to and from the store.

#include "goban/checkpoint/content.hpp"
#include "goban/simulation/plan/run_plan.hpp"

namespace goban {

/// The live fields, by global index, and the arrays of outputs. It accepts what is of the same case
/// or allowed to be another; then fields that no step writes remain as this run has them.
CheckpointSubject subject_of(RunPlan& plan, const Engines& engines);

/// All that a run goes on from beside fields.
std::vector<std::shared_ptr<ParameterRecord>> parameters_of(const RunPlan& plan,
                                                            const Engines& engines);

/// What this run does otherwise than the one that saved `state`.
/// Error (no_checkpoint): it does not say which case it was.
std::vector<CaseChange> changes_since(const CheckpointState& state, const RunPlan& plan);

/// Clock, parameters, schedules, outputs, and the case with what changed in it.
CheckpointState state_of(const RunPlan& plan, const Engines& engines, const StepClock& clock);

/// Puts parameters, schedules, outputs and changes back and the clock where it was. Returns the
/// names of outputs the checkpoint does not know. Error (no_checkpoint): a parameter of this run is
/// not in it.
std::vector<std::string> restore_state(const CheckpointState& state, RunPlan& plan,
                                       const Engines& engines, StepClock& clock);

}  // namespace goban
