#pragma once
// The checkpoints of one run: where it begins, what it saves, and when.

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "goban/checkpoint/background.hpp"
#include "goban/checkpoint/directory_store.hpp"
#include "goban/checkpoint/nodes/store.hpp"
#include "goban/io/file_ranks.hpp"
#include "goban/simulation/checkpoint_measures.hpp"
#include "goban/simulation/run_state.hpp"

namespace goban {

/// What is to be saved at a step: on the nodes, each better protected than the one before, and in
/// the run's directory.
struct LevelsDue {
  bool local = false, copies = false, parity = false, shared = false;

  bool any() const { return local || copies || parity || shared; }
};

class Saver {
 public:
  /// Without a directory there is nothing to restart from and nothing is saved.
  Saver(RunPlan& plan, const Engines& engines, StepClock& clock);

  /// Restores the checkpoint the plan names; all files stay as they are. `ranks` save later on.
  /// Returns whether the run continues; then `unknown` holds the outputs the checkpoint does not
  /// know. What happens is said through `log`. Errors: no_checkpoint; usage for a restart without a
  /// directory, for a case that must not change and for levels that the nodes cannot have.
  bool restore(const FileRanks& ranks, std::vector<std::string>& unknown, const CheckpointLog& log);

  /// Moves checkpoints that are not of this run's past out of the way. Schedules begin at `now`.
  void begin(const Clock& now, const CheckpointLog& log);

  LevelsDue due(const Clock& now);
  Index steps_until_due(const Clock& now, double dt) const;
  double time_until_due(const Clock& now) const;

  /// Saves the state of this step, once; collective. In the background, what an earlier one has met
  /// with is thrown here or by settle(). Error (files).
  void save(const LevelsDue& levels);
  bool has_saved() const { return saved_step_ == clock_.step; }
  /// How many saves are over on this rank.
  Index finished() const { return background_ ? background_->finished() : 0; }
  /// All ranks have come so far: throws what went wrong in one of these saves. Error (files).
  void settle(Index finished);
  Index settled() const { return settled_; }
  /// Waits until all is durable. Error (files).
  void finish();

  /// What one will take at most, by guess until there was one.
  double seconds_expected() const;
  CheckpointMeasures measures() const;

  /// Memory for copies of the state, of this rank.
  static Index bytes_needed(const RunPlan& plan, const Engines& engines);

 private:
  When* level(std::size_t n);
  const When* level(std::size_t n) const { return const_cast<Saver*>(this)->level(n); }
  bool uses_nodes() const { return nodes_ != nullptr; }
  bool takes_copies() const;
  void open_stores(const FileRanks& ranks);
  void write(const StateCopy& copy, const LevelsDue& levels);
  void note_costs(const LevelsDue& levels, double held);
  void set_intervals();
  void count_failures(bool continues);

  RunPlan& plan_;
  const Engines& engines_;
  StepClock& clock_;
  std::shared_ptr<Communicator>
      communicator_;  ///< of stores; their own if they work beside the run
  std::unique_ptr<DirectoryStore> shared_;
  std::unique_ptr<NodeStore> nodes_;
  std::array<StateCopy, 2> copies_;
  Index saved_step_ = -1;
  Index settled_ = 0;
  CheckpointMeasures measures_;
  double seconds_before_ = 0;  ///< that the run has taken before this process
  std::chrono::steady_clock::time_point start_;
  std::array<double, 4> cost_{}, busy_{};  ///< seconds of the last save of each level, on all ranks
  /// What write() has measured.
  struct Written {
    double background = 0, longest = 0;
    PartSize size = {};
  } written_;
  mutable std::mutex written_mutex_;
  std::unique_ptr<BackgroundWork> background_;  ///< ends before what it works on
};

}  // namespace goban
