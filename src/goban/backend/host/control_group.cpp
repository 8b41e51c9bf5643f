#include "goban/backend/host/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace goban {
namespace {

using Path = std::filesystem::path;

bool lists(const std::string& controllers, const std::string& controller) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == controller) return true;
  return false;
}

/// Folders of the own group of one controller and of the groups above it, innermost first. Lines
/// of `membership` read "hierarchy:controllers:/path"; version 2 is hierarchy 0, no controllers.
std::vector<Path> folders(const Path& membership, const Path& mount,
                          const std::string& controller) {
  std::vector<Path> result;
  std::ifstream file(membership);
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !lists(controllers, controller)) continue;
    const Path root = controllers.empty() ? mount : mount / controller;
    // Inside a container the path may name a group that only the host sees: then the root is ours.
    for (Path group = Path(line.substr(second + 1)).relative_path(); !group.empty();
         group = group.parent_path())
      result.push_back(root / group);
    result.push_back(root);
  }
  return result;
}

/// The first word of a file as a number; nothing for "max" and for files that are not there.
std::optional<double> number_in(const Path& path) {
  std::ifstream file(path);
  double value = 0;
  if (file >> value) return value;
  return {};
}

/// The value behind `key` in a file of "key value" lines; 0 if absent.
double value_of(const Path& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    double value = 0;
    if (words >> word >> value && word == key) return value;
  }
  return 0;
}

std::optional<double> cores_of(const Path& folder) {
  std::ifstream file(folder / "cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period && period > 0) return quota / period;
  const auto old_quota = number_in(folder / "cpu.cfs_quota_us");
  const auto old_period = number_in(folder / "cpu.cfs_period_us");
  if (old_quota && old_period && *old_quota > 0 && *old_period > 0) return *old_quota / *old_period;
  return {};
}

struct MemoryState {
  double limit, used;
};

std::optional<MemoryState> memory_of(const Path& folder) {
  constexpr double unlimited = 0x1p60;  // version 1 writes the largest multiple of a page
  const Path statistics = folder / "memory.stat";
  if (const auto limit = number_in(folder / "memory.max"))
    return MemoryState{*limit, number_in(folder / "memory.current").value_or(0) -
                                   value_of(statistics, "inactive_file")};
  const auto limit = number_in(folder / "memory.limit_in_bytes");
  if (limit && *limit < unlimited)
    return MemoryState{*limit, number_in(folder / "memory.usage_in_bytes").value_or(0) -
                                   value_of(statistics, "total_inactive_file")};
  return {};
}

template <class T>
void tighten(std::optional<T>& limit, T value) {
  limit = std::min(limit.value_or(value), value);
}

}  // namespace

ControlGroup::ControlGroup(Path membership, Path mount)
    : membership_(std::move(membership)), mount_(std::move(mount)) {}

std::optional<double> ControlGroup::cores() const {
  std::optional<double> result;
  for (const Path& folder : folders(membership_, mount_, "cpu"))
    if (const auto cores = cores_of(folder)) tighten(result, *cores);
  return result;
}

std::optional<Index> ControlGroup::memory_limit() const {
  std::optional<Index> result;
  for (const Path& folder : folders(membership_, mount_, "memory"))
    if (const auto memory = memory_of(folder)) tighten(result, static_cast<Index>(memory->limit));
  return result;
}

std::optional<Index> ControlGroup::memory_available() const {
  std::optional<Index> result;
  for (const Path& folder : folders(membership_, mount_, "memory"))
    if (const auto memory = memory_of(folder))
      tighten(result, std::max<Index>(0, static_cast<Index>(memory->limit - memory->used)));
  return result;
}

Memory process_memory(const Path& root) {
  const Path machine = root / "proc/meminfo";
  const auto bytes_of = [&](const char* key) {
    return static_cast<Index>(value_of(machine, key) * 1024);
  };
  const ControlGroup group(root / "proc/self/cgroup", root / "sys/fs/cgroup");
  const Index total = bytes_of("MemTotal:"), available = bytes_of("MemAvailable:");
  return {std::min(total, group.memory_limit().value_or(total)),
          std::min(available, group.memory_available().value_or(available))};
}

}  // namespace goban
