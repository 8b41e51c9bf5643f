#pragma once
// The checkpoints of one run: where it begins, what it saves, and when.

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "goban/checkpoint/background.hpp"
#include "goban/checkpoint/directory_store.hpp"
#include "goban/checkpoint/nodes/record.hpp"
#include "goban/checkpoint/nodes/store.hpp"
#include "goban/io/file/file_ranks.hpp"
#include "goban/simulation/checkpointer/run_state.hpp"
#include "goban/simulation/checkpointer/save_record.hpp"

namespace goban {

class Checkpointer {
 public:
  /// Without a directory there is nothing to restart from and nothing is saved.
  Checkpointer(RunPlan& plan, const Engines& engines, StepClock& clock);

  /// Refuses what this machine and these ranks cannot save, before anything of an earlier run is
  /// touched; collective. Errors: usage, resources.
  static void check(const RunPlan& plan);

  /// Restores the checkpoint the plan names; all files stay as they are. `ranks` save later on.
  /// Returns whether the run continues; then `unknown` holds the outputs the checkpoint does not
  /// know. What happens is said through `log`. Errors: no_checkpoint, also where nodes have some
  /// that are not among those of now; usage for a restart without a directory and for a case that
  /// must not change.
  bool restore(const FileRanks& ranks, std::vector<std::string>& unknown, const CheckpointLog& log);

  /// Moves checkpoints that are not of this run's past out of the way. Schedules begin at `now`.
  void begin(const Clock& now, const CheckpointLog& log);

  LevelsDue due(const Clock& now);
  Index steps_until_due(const Clock& now, double dt) const;
  double time_until_due(const Clock& now) const;

  /// Saves the state of this step where it is not yet; collective. What fails at one level keeps no
  /// other from being saved. Returns what has failed, the same on all ranks; of saves in the
  /// background settle() or finish() do.
  std::vector<Error> save(const LevelsDue& levels);
  /// Whether the run's directory has the state of this step.
  bool has_saved() const { return record_.has_shared(clock_.step); }
  /// How many saves are over on this rank.
  Index finished() const { return background_ ? background_->finished() : saves_; }
  /// All ranks have come so far: what has failed in these saves, each error once.
  std::vector<Error> settle(Index finished);
  Index settled() const { return settled_; }
  /// Waits until all is durable; returns what has failed since.
  std::vector<Error> finish();

  /// What one in the run's directory will take at most, by guess until there was one.
  double seconds_expected() const;
  CheckpointMeasures measures() const;

 private:
  When* level(std::size_t n);
  const When* level(std::size_t n) const { return const_cast<Checkpointer*>(this)->level(n); }
  bool takes_copies() const;
  void open_stores(const FileRanks& ranks, const CheckpointLog& log);
  void warn_of_nodes(const CheckpointLog& log) const;
  void begin_life(const CheckpointLog& log);
  bool attempt(Index number, std::size_t level, Index step, const std::function<void()>& work);
  void write(Index number, const StateCopy& copy, const LevelsDue& levels);
  void note_on_nodes(Index step);
  void note_costs(const LevelsDue& levels, double held, double copying);
  void set_intervals();
  void count_failures(bool continues);

  RunPlan& plan_;
  const Engines& engines_;
  StepClock& clock_;
  std::shared_ptr<Communicator>
      communicator_;  ///< joins the stores; their own if they work beside the run
  std::unique_ptr<DirectoryStore> shared_;
  std::unique_ptr<NodeStore> nodes_;
  std::optional<NodeRecord> on_nodes_;  ///< as in the run's directory
  std::chrono::steady_clock::time_point noted_;
  std::array<StateCopy, 2> copies_;
  std::optional<Index> restored_;  ///< the step that the run goes on from
  Index saves_ = 0, settled_ = 0;
  SaveRecord record_;
  CheckpointMeasures measures_;
  double seconds_before_ = 0;  ///< seconds that the run has taken before this process
  std::chrono::steady_clock::time_point start_;
  double guess_ = 0;    ///< seconds that a save takes, before there was one
  double copying_ = 0;  ///< seconds that the last save held the run up before anything was written
  std::array<double, 4> cost_{}, busy_{};  ///< seconds of the last save of each level, on all ranks
  std::unique_ptr<BackgroundWork> background_;  ///< ends before what it works on
};

}  // namespace goban
