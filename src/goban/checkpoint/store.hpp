#pragma once
// Where checkpoints are kept. A simulation knows this interface only: one directory today, several
// levels (memory, neighbours, parity, file system) behind the same door.

#include <functional>
#include <optional>
#include <string>

#include "goban/checkpoint/content.hpp"

namespace goban {

/// Which checkpoint to restore.
struct CheckpointChoice {
  std::optional<Index> step = {};  ///< of that step and no other; empty: the newest that verifies
};

class CheckpointStore {
 public:
  using Log = std::function<void(const std::string& line)>;

  virtual ~CheckpointStore();

  /// Returns when the checkpoint is durable. Until then, and whatever happens, earlier ones stay as
  /// they are. Error (files).
  virtual void save(const CheckpointSubject& subject, const CheckpointState& state) = 0;

  /// Copies the values of the chosen checkpoint into `subject` and returns the rest; nothing if
  /// there is no checkpoint at all and none was asked for by its step. Every one that is refused
  /// goes to `log` with file, block and reason.
  /// Error (no_checkpoint): there are checkpoints, but no usable one; values are then undefined.
  /// Error (usage): `subject` does not accept it.
  virtual std::optional<CheckpointState> load(const CheckpointChoice& choice,
                                              const CheckpointSubject& subject, const Log& log) = 0;

  /// The run goes on from `step`: later checkpoints are of a past that is no longer its own.
  virtual void set_aside_after(Index step) = 0;
  /// The run begins anew: all checkpoints are another run's. They stay beside its own and are never
  /// removed. Returns where they went, empty if there were none.
  virtual std::string set_aside_all() = 0;

  /// "2 newest in out/heat/chk".
  virtual std::string describe() const = 0;
};

}  // namespace goban
