#pragma once
// The folder a run writes into, and what happens to an earlier run's.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/base/process/descriptor.hpp"

namespace goban::cli {

/// What to do with a folder that holds an earlier run.
enum class Earlier {
  set_aside,  ///< rename it to <folder>.old.N, N the next free number
  remove,     ///< delete what the run wrote (--overwrite)
  go_on       ///< write into it (--restart)
};

/// Held as long as the run lives; a second run into the same folder is refused. A folder that is
/// not empty and not a run's is never touched, nor is an earlier run before make_room(); a folder
/// that was made for a run that never began goes away with it.
/// Errors (ExitCode::files): in use, not a run's, not to be written.
class RunFolder {
 public:
  explicit RunFolder(const std::filesystem::path& folder);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Once the run is known to be possible.
  void make_room(Earlier earlier);

  const std::filesystem::path& path() const { return folder_; }
  /// Where the earlier run is now; empty when there was none or it was not set aside.
  const std::filesystem::path& set_aside() const { return set_aside_; }
  /// What Earlier::remove found that no run wrote, and left alone.
  const std::vector<std::filesystem::path>& left() const { return left_; }

 private:
  /// Makes the folder if there is none. Errors: it is not a run's.
  void look();
  bool try_lock();
  void lock();
  void remove_earlier();

  std::filesystem::path folder_, set_aside_;
  std::vector<std::filesystem::path> left_;
  bool is_made_ = false;  ///< by us
  bool has_begun_ = false;
  Descriptor lock_;
};

}  // namespace goban::cli
