#pragma once
// Where checkpoints are kept. A simulation knows this interface only: a directory that all ranks
// see, or the nodes they run on.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "goban/checkpoint/manifest.hpp"

namespace goban {

/// Which checkpoint to restore.
struct CheckpointChoice {
  std::optional<Index> step = {};  ///< the only step to restore; empty: the newest that verifies
};

/// A committed checkpoint: its name says so, its content may still be damaged.
struct CheckpointEntry {
  Index step = 0;
  std::filesystem::path path;
};

using CheckpointLog = std::function<void(const std::string& line)>;

/// All calls are collective. Stores save each in its own way; they return when the checkpoint is
/// durable, and until then, whatever happens, earlier ones stay as they are.
class CheckpointStore {
 public:
  virtual ~CheckpointStore();

  /// What there is, newest first. Error (files): it cannot be seen.
  virtual std::vector<CheckpointEntry> entries() = 0;
  /// Copies its values into `subject`, each rank reading a part of them, and returns the rest.
  /// Error (no_checkpoint): it is of no use; values are then undefined. Error (usage): `subject`
  /// does not accept it.
  virtual CheckpointState restore(const CheckpointEntry& entry, const CheckpointSubject& subject,
                                  const CheckpointLog& log) = 0;

  /// Error (no_checkpoint): it cannot be read.
  virtual Manifest manifest_of(const CheckpointEntry& entry) = 0;

  /// Where they are: "out/heat/chk"; not collective.
  virtual std::string place() const = 0;
};

struct StoredCheckpoint {
  CheckpointStore* store;
  CheckpointEntry entry;
};

/// Newest first; of one step in the order of the stores. Collective.
std::vector<StoredCheckpoint> checkpoints_in(const std::vector<CheckpointStore*>& stores);

/// Restores the chosen checkpoint of whichever of these stores has it, of one step from the first
/// that can; nothing if there is no checkpoint at all and none was asked for by its step. Every one
/// that is refused goes to `log` with file, block and reason. `from` gets the store that had it.
/// Collective. Error (no_checkpoint): there are checkpoints, but no usable one; values are then
/// undefined. Error (usage): `subject` does not accept it.
std::optional<CheckpointState> load_checkpoint(const std::vector<CheckpointStore*>& stores,
                                               const CheckpointChoice& choice,
                                               const CheckpointSubject& subject,
                                               const CheckpointLog& log,
                                               CheckpointStore** from = nullptr);

}  // namespace goban
