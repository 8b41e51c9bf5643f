#pragma once
// The files every run leaves in its directory.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "goban/simulation/output.hpp"

namespace goban {

/// run.toml: the resolved case, a case file itself, and where it came from as comments.
void write_run_record(const RunPlace& place);

/// STATUS: one line, "running", "finished", "stopped: SIGTERM at step 120, ..." or "failed: why".
void write_status(const std::filesystem::path& directory, const std::string& status);

/// Indented, with a newline at the end; the file appears whole or not at all.
void write_summary(const std::filesystem::path& path, const nlohmann::ordered_json& summary);

}  // namespace goban
