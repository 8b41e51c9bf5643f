#pragma once
// Remembers which launches turned out to be fastest, for this process and, in a file, for later
// ones.

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "goban/backend/cuda/launch/launch_choice.hpp"

namespace goban::cuda {

/// The choices by device and sweep. The file is valid for one version of goban; a file of another
/// version, or one that cannot be read, is replaced. Several threads may use it.
class LaunchMemory {
 public:
  /// If `file` is empty it remembers choices for this process only.
  explicit LaunchMemory(std::filesystem::path file);

  std::optional<LaunchChoice> find(const std::string& device, const std::string& sweep) const;
  /// Remembers a choice and writes the file, including what other processes have added. A file that
  /// cannot be written is left as it is.
  void remember(const std::string& device, const std::string& sweep, const LaunchChoice& choice);
  /// Forgets all choices in this process. The file keeps those that are not found anew.
  void forget();
  int count() const;

 private:
  using Choices = std::map<std::string, std::map<std::string, std::string>>;
  static Choices read(const std::filesystem::path& file);

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  Choices choices_;
};

/// Returns GOBAN_LAUNCH_CACHE, else launches.json in goban's folder of XDG_CACHE_HOME or ~/.cache;
/// empty if there is none of them.
std::filesystem::path launch_cache_file();

}  // namespace goban::cuda
