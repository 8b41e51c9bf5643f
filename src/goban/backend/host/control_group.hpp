#pragma once
// What the process's control groups (containers, batch systems) leave it of the machine.

#include <filesystem>
#include <optional>

#include "goban/base/types.hpp"

namespace goban {

/// Limits of the own control group and of all above it, version 1 and 2; the tightest counts. What
/// cannot be read does not limit.
class ControlGroup {
 public:
  explicit ControlGroup(std::filesystem::path membership = "/proc/self/cgroup",
                        std::filesystem::path mount = "/sys/fs/cgroup");

  /// Processor time per time, in cores.
  std::optional<double> cores() const;
  /// Bytes the processes of the group may hold together.
  std::optional<Index> memory_limit() const;
  /// Bytes still to be had below the limit; file cache that can be dropped counts as free.
  std::optional<Index> memory_available() const;

 private:
  std::filesystem::path membership_, mount_;
};

struct Memory {
  Index total = 0;      ///< bytes this process may ever have
  Index available = 0;  ///< bytes it can have now without swapping
};

/// What the machine has, at most what the control group leaves. Files are looked up under `root`.
Memory process_memory(const std::filesystem::path& root = "/");

}  // namespace goban
