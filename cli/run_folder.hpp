#pragma once
// The folder a run writes into, and what happens to an earlier run's.

#include <filesystem>
#include <string>

namespace goban::cli {

/// What to do with a folder that holds an earlier run.
enum class Earlier {
  set_aside,  ///< rename it to <folder>.old.N, N the next free number
  remove,     ///< delete it (--overwrite)
  go_on       ///< write into it (--restart)
};

/// Held as long as the run lives; a second run into the same folder is refused. A folder that is
/// not empty and not a run's is never touched.
/// Errors (ExitCode::files): in use, not a run's, not to be written.
class RunFolder {
 public:
  RunFolder(const std::filesystem::path& folder, Earlier earlier);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  /// Where the earlier run is now; empty when there was none or it was not set aside.
  const std::filesystem::path& set_aside() const { return set_aside_; }

 private:
  void lock();
  void unlock();

  std::filesystem::path folder_, set_aside_;
  int lock_ = -1;
};

}  // namespace goban::cli
