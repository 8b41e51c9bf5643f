#pragma once
// The directory of a run, which others may take away.

#include <filesystem>

#include "goban/base/process/descriptor.hpp"

namespace goban {

/// Notes that a simulation of this program has its files in the folder at `path`, where it would
/// have had `own` if the command line had not said otherwise. Error(usage): one of another folder
/// has them there.
void claim_directory(const std::filesystem::path& path, const std::filesystem::path& own);

class RunDirectory {
 public:
  /// The folder at `path`, which exists.
  explicit RunDirectory(std::filesystem::path path);

  /// Error(files): it has been removed, renamed or replaced, and what was written with it.
  void require_in_place() const;

 private:
  std::filesystem::path path_;
  Descriptor directory_;  ///< nobody gets its number while it is open
};

}  // namespace goban
