#pragma once
// What checkpoints a directory holds, and whether they are good.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/checkpoint/manifest.hpp"
#include "goban/checkpoint/store.hpp"

namespace goban {

/// The directory name of a step: seven digits or more.
std::string checkpoint_name(Index step);

/// The step that a name of digits alone stands for; negative for other names.
Index step_named(const std::string& name);

/// The checkpoints in `directory`, newest first; none if it does not exist. Error (files): it
/// cannot be read.
std::vector<CheckpointEntry> list_checkpoints(const std::filesystem::path& directory);

/// Error (no_checkpoint): unreadable, damaged or unknown, or of another step than the directory.
Manifest read_manifest(const std::filesystem::path& checkpoint);
/// The text of a manifest that can be read so.
std::string manifest_text(const std::filesystem::path& checkpoint);

struct CheckpointVerdict {
  bool good = false;
  /// The run that writes here has removed or replaced it meanwhile: there is nothing to judge.
  bool is_gone = false;
  std::string reason;  ///< why not
  Manifest manifest;   ///< as far as it could be read
};

/// Reads every byte and compares all hashes; throws nothing for a damaged checkpoint.
CheckpointVerdict verify_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace goban
