#pragma once
// Reading a case file. Everything wrong in it is reported at once.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "goban/io/case/file.hpp"
#include "goban/io/case/schema.hpp"

namespace goban {

struct CaseOptions {
  bool allow_unused = false;  ///< unknown keys become warnings of the case
};

/// Reads and checks a case file. Overrides are "key=value" and have the last word; tables of a
/// list are numbered from 0 ("obstacle.0.radius=2 mm"). A table [provenance] is ignored, so that
/// run.toml is a case file too.
///
/// Throws Error(files) when the file cannot be read and Error(usage) with one line
/// "file:line:column: problem (why) suggestion" for every mistake.
Case read_case(const CaseSchema& schema, const std::filesystem::path& file,
               const std::vector<std::string>& overrides = {}, CaseOptions options = {});

/// As read_case for a text already in memory; `file` is for messages and relative paths.
Case parse_case(const CaseSchema& schema, std::string_view text, const std::filesystem::path& file,
                const std::vector<std::string>& overrides = {}, CaseOptions options = {});

/// The application a case is for: its top-level key `app`.
std::string application_of(const std::filesystem::path& file,
                           const std::vector<std::string>& overrides = {});

/// The bytes of a text file; throws Error(files), naming the nearest file that exists.
std::string read_case_text(const std::filesystem::path& file);

}  // namespace goban
