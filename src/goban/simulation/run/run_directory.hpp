#pragma once
// The directory of a run, which others may take away.

#include <filesystem>

#include "goban/base/process/descriptor.hpp"

namespace goban {

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
