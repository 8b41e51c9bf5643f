#pragma once
// Timelines as files for ui.perfetto.dev and chrome://tracing.

#include <filesystem>

#include "goban/backend/timeline.hpp"

namespace goban {

/// "trace.json" of rank 2 is "trace.rank2.json".
std::filesystem::path trace_file_of_rank(const std::filesystem::path& path, int rank);

/// Makes its folder. Error(files): the file could not be written, or another one than a trace is
/// there.
void check_trace_file(const std::filesystem::path& path);

/// JSON in Chrome's trace event format: an event "X" for every bar, times in microseconds from the
/// timeline's start, in order along each row. The file appears whole or not at all; Error(files).
void write_trace(const std::filesystem::path& path, const Timeline& timeline);

}  // namespace goban
