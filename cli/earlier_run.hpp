#pragma once
// What a run has left in its folder, told from files of other origin.

#include <filesystem>
#include <string>
#include <vector>

namespace goban::cli {

/// There is a run.toml of goban's, or nothing but files that every run leaves.
bool holds_a_run(const std::filesystem::path& folder);

/// Nothing is in it, or what runs have left that died before they began.
bool is_vacant(const std::filesystem::path& folder);

/// Whether STATUS says that the run has finished.
bool has_finished(const std::filesystem::path& folder);

/// Whether a run is writing there.
bool is_held(const std::filesystem::path& folder);

/// A line that says so if a run has died without a word, so that STATUS says it were running; empty
/// where none has. Its process is gone from this machine, or nobody holds the folder's lock.
std::string death_of(const std::filesystem::path& folder);

struct EarlierFiles {
  std::vector<std::filesystem::path> of_run;  ///< with checkpoints, which are folders
  std::vector<std::filesystem::path> others;
};

/// A run's are the files that every run leaves, those that summary.json lists, checkpoints, and
/// files named after its case and the outputs that run.toml names, as <case>_<output>.0000100.png.
/// The lock is neither.
EarlierFiles earlier_files(const std::filesystem::path& folder);

}  // namespace goban::cli
