#pragma once
// The files every run leaves in its directory.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "goban/simulation/case_changes.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

/// run.toml: the resolved case, a case file itself; as comments where it came from, the outputs
/// that files are named after, the step it was last `restarted` from and what changed in the case,
/// from which step on.
void write_run_record(const RunPlace& place, const std::vector<CaseChange>& changes = {},
                      std::optional<Index> restarted = {});

/// STATUS: a line "running", "finished", "stopped: SIGTERM at step 120, ..." or "failed: why", and
/// one that tells who wrote it, where and when: "pid 4711 on node7, 2025-01-31T23:59:59Z".
void write_status(const std::filesystem::path& directory, const std::string& status);

/// "node7", as in STATUS.
std::string host_name();

/// Removes files and checkpoints that are being written, of a process that is told to end at once.
void remove_unfinished(const std::filesystem::path& directory);

/// Before a run that is to leave a second summary at `path` (empty: none): makes its folder. Error
/// (files): it cannot be written there, or another file than a summary is.
void check_summary_file(const std::filesystem::path& path);

/// summary.json in `directory`, if the run has one, then at `second`, if that is named. Indented,
/// with a newline at the end; files appear whole or not at all.
void write_summary(const std::filesystem::path& directory, const std::filesystem::path& second,
                   const nlohmann::ordered_json& summary);

}  // namespace goban
