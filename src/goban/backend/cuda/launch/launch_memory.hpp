#pragma once
// What launches turned out fastest, for this process and, in a file, for those to come.

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "goban/backend/cuda/launch/launch_choice.hpp"

namespace goban::cuda {

/// Choices by device and sweep. The file belongs to one version of goban; one of another version,
/// or one that cannot be read, is replaced. Threads may use it side by side.
class LaunchMemory {
 public:
  /// No file: remembers for the process alone.
  explicit LaunchMemory(std::filesystem::path file);

  std::optional<LaunchChoice> find(const std::string& device, const std::string& sweep) const;
  /// Also writes the file, with what other processes have added; a file that cannot be written is
  /// left as it is.
  void remember(const std::string& device, const std::string& sweep, const LaunchChoice& choice);
  /// Forgets choices for this process; the file keeps what is not found anew.
  void forget();
  int count() const;

 private:
  using Choices = std::map<std::string, std::map<std::string, std::string>>;
  static Choices read(const std::filesystem::path& file);

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  Choices choices_;
};

/// GOBAN_LAUNCH_CACHE, else launches.json in goban's folder of XDG_CACHE_HOME or ~/.cache; empty if
/// there is none of them.
std::filesystem::path launch_cache_file();

}  // namespace goban::cuda
