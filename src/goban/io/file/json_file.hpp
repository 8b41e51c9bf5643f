#pragma once
// JSON documents as files.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace goban {

/// Writes `document` indented by two spaces and ending in a newline; the file appears whole or not
/// at all. Text that is not UTF-8 is written with replacement characters. Error(files).
void write_json(const std::filesystem::path& path, const nlohmann::json& document);

/// Reads a JSON file of at most 64 MiB; Error(files) naming the line if it is not JSON.
nlohmann::json read_json(const std::filesystem::path& path);

/// Whether lists and objects lie within each other deeper than any of goban's: a document that does
/// must not be parsed, for copies of it take the stack of the process.
bool is_too_deep(std::string_view json);

}  // namespace goban
