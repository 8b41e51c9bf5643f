#pragma once
// The checkpoints of one run: where it begins, what it saves.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "goban/checkpoint/store.hpp"
#include "goban/io/file_ranks.hpp"
#include "goban/simulation/run_state.hpp"

namespace goban {

class Saver {
 public:
  /// Without a directory there is nothing to restart from and nothing is saved.
  Saver(RunPlan& plan, const Engines& engines, StepClock& clock);

  /// Restores the checkpoint the plan names; all files stay as they are. `ranks` save later on.
  /// Returns whether the run continues; then `unknown` holds the outputs the checkpoint does not
  /// know. What happens is said through `log`. Errors: no_checkpoint; usage for a restart without a
  /// directory and for a case that must not change.
  bool restore(const FileRanks& ranks, std::vector<std::string>& unknown,
               const CheckpointStore::Log& log);

  /// Moves checkpoints that are not of this run's past out of the way.
  void begin(const CheckpointStore::Log& log);

  /// Saves the state of this step, once. Error (files).
  void save();
  bool has_saved() const { return saved_step_ == clock_.step; }

  /// What saves took so far.
  double seconds() const { return seconds_; }
  /// What one will take at most, by guess until there was one.
  double seconds_expected() const;

 private:
  RunPlan& plan_;
  const Engines& engines_;
  StepClock& clock_;
  std::unique_ptr<CheckpointStore> store_;
  Index saved_step_ = -1;
  double seconds_ = 0, longest_ = 0;
};

}  // namespace goban
