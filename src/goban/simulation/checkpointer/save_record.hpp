#pragma once
// What each level of checkpoints has saved, when and at what cost, and what went wrong.

#include <array>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/checkpoint/parts.hpp"
#include "goban/simulation/checkpointer/checkpoint_measures.hpp"

namespace goban {

/// What is to be saved at a step: on the nodes, each better protected than the one before, and in
/// the run's directory.
struct LevelsDue {
  bool local = false, copies = false, parity = false, shared = false;

  bool any() const { return on_nodes() || shared; }
  bool on_nodes() const { return local || copies || parity; }
  /// The best of those on the nodes stands for all of them.
  std::size_t node_level() const { return parity ? 2 : copies ? 1 : 0; }
};
inline constexpr std::size_t shared_level = 3;

/// Written by who saves, which may be a thread beside the run.
class SaveRecord {
 public:
  struct Level {
    Index step = -1;                  ///< the step last saved, or begun from
    Index count = 0;                  ///< the number of saves
    double seconds = 0, longest = 0;  ///< seconds of work: of the last save, and of the longest
  };

  Level level(std::size_t n) const;
  /// Whether that is the state of this step.
  bool has_shared(Index step) const { return level(shared_level).step == step; }
  bool has_on_nodes(Index step) const;

  void begin_from(std::size_t level, Index step);
  void add(std::size_t level, Index step, double seconds);
  void add_size(const PartSize& size);
  void fail(Index number, Error error);
  /// What failed in the first `count` saves; once.
  std::vector<Error> take_errors(Index count);

  void complete(CheckpointMeasures& measures) const;

 private:
  mutable std::mutex mutex_;
  std::array<Level, checkpoint_levels.size()> levels_;
  double work_ = 0;  ///< seconds
  PartSize size_;
  std::deque<std::pair<Index, Error>> errors_;  ///< with the number of the save
};

}  // namespace goban
