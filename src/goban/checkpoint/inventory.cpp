#include "goban/checkpoint/inventory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "goban/base/error.hpp"
#include "goban/checkpoint/data_file.hpp"
#include "goban/checkpoint/parts.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

}  // namespace

Index step_named(const std::string& name) {
  Index step = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  const bool digits = error == std::errc() && end == name.data() + name.size() && name[0] != '-';
  return digits ? step : -1;
}

std::string checkpoint_name(Index step) { return fmt::format("{:07}", step); }

std::vector<CheckpointEntry> list_checkpoints(const fs::path& directory) {
  std::vector<CheckpointEntry> entries;
  std::error_code error;
  if (!fs::exists(directory, error)) return entries;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const Index step = step_named(entry->path().filename().string());
    if (step >= 0) entries.push_back({step, entry->path()});
  }
  if (error) throw_file_error("read", directory, error.value());
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.step > b.step; });
  return entries;
}

Manifest read_manifest(const fs::path& checkpoint) {
  return parse_manifest(manifest_text(checkpoint));
}

std::string manifest_text(const fs::path& checkpoint) {
  std::string text;
  try {
    text = read_text(checkpoint / Manifest::file_name, Manifest::most_bytes);
  } catch (const Error& error) {
    throw Error(ExitCode::no_checkpoint, error.what());
  }
  const Manifest manifest = parse_manifest(text);
  const Index named = step_named((checkpoint / "").parent_path().filename().string());
  if (named >= 0 && named != manifest.state.step) {
    throw Error(
        ExitCode::no_checkpoint,
        fmt::format("its manifest is that of step {}, not of step {}", manifest.state.step, named),
        "the folder was renamed", "give it its name back");
  }
  return text;
}

CheckpointVerdict verify_checkpoint(const fs::path& checkpoint) {
  CheckpointVerdict verdict;
  struct stat before {};
  struct stat after {};
  verdict.is_gone = ::stat(checkpoint.c_str(), &before) != 0 && errno == ENOENT;
  try {
    verdict.manifest = read_manifest(checkpoint);
    for (const StoredPart& part : verdict.manifest.parts) {
      open_part(checkpoint / part.file, part).verify();
    }
    for (const StoredArray& array : verdict.manifest.arrays) {
      if (array.file.empty()) continue;
      read_data(checkpoint / array.file, array, verdict.manifest.block_bytes, {},
                [](const Box&, const void*) {});
    }
    verdict.good = true;
  } catch (const Error& error) {
    verdict.reason = error.what();
    // A checkpoint loses its name before its files.
    verdict.is_gone |=
        ::stat(checkpoint.c_str(), &after) != 0 ? errno == ENOENT : before.st_ino != after.st_ino;
  }
  return verdict;
}

}  // namespace goban
