#include "goban/checkpoint/nodes/generations.hpp"

#include <algorithm>

#include "goban/base/error.hpp"
#include "goban/checkpoint/inventory.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

constexpr const char* removed = ".trash";

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  return paths;
}

fs::file_time_type time_of(const fs::path& path) {
  std::error_code ignored;
  return fs::last_write_time(path, ignored);
}

}  // namespace

Protection protection_of(const Manifest& manifest) {
  return manifest.parity > 0   ? Protection::parity
         : manifest.has_copies ? Protection::copies
                               : Protection::none;
}

Generations committed_in(const fs::path& folder, const Lineage& lineage) {
  Generations found;
  std::vector<CheckpointEntry> entries;
  try {
    entries = list_checkpoints(folder);
  } catch (const Error&) {  // a disk that fails is one that is lost
  }
  for (const CheckpointEntry& entry : entries) {
    try {
      if (!is_there(entry.path / Manifest::file_name)) continue;
      const Manifest manifest = read_manifest(entry.path);
      if (lineage.has(manifest.life, entry.step)) found[entry.step] = protection_of(manifest);
    } catch (const Error&) {
      found[entry.step] = Protection::none;
    }
  }
  return found;
}

std::vector<Index> outdated(const Generations& all, int keep) {
  std::vector<Index> steps;
  for (const auto& [step, protection] : all) {
    const auto is_better = [step = step, protection = protection](const auto& other) {
      return other.first > step && other.second >= protection;
    };
    if (std::count_if(all.begin(), all.end(), is_better) >= keep) steps.push_back(step);
  }
  return steps;
}

void remove_generation(const fs::path& path) {
  std::error_code ignored;
  const fs::path trash = path.string() + removed;
  fs::remove_all(trash, ignored);
  fs::rename(path, trash, ignored);
  fs::remove_all(trash, ignored);
}

void remove_generations(const fs::path& folder, const std::function<bool(Index step)>& keeps) {
  for (const fs::path& path : paths_in(folder)) {
    const Index step = step_named(path.filename().string());
    if (step >= 0 && keeps(step)) continue;
    std::error_code ignored;
    step >= 0 ? remove_generation(path) : static_cast<void>(fs::remove_all(path, ignored));
  }
}

void remove_earlier_runs(const fs::path& folder, const std::string& name, const std::string& own) {
  std::vector<fs::path> earlier;
  for (const fs::path& path : paths_in(folder)) {
    const std::string found = path.filename().string();
    const bool has_id = found.starts_with(name + "-") && found.size() == name.size() + 17;
    if (found != own && (found == name || found == name + ".old" || has_id))
      earlier.push_back(path);
  }
  std::sort(earlier.begin(), earlier.end(),
            [](const fs::path& a, const fs::path& b) { return time_of(a) > time_of(b); });
  std::error_code ignored;
  for (std::size_t n = 1; n < earlier.size(); ++n) fs::remove_all(earlier[n], ignored);
}

}  // namespace goban
