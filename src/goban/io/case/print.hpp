#pragma once
// Cases and schemas as text.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "goban/io/case/file.hpp"

namespace goban {

/// A case file with every key of the schema, its value and its documentation; reading it gives an
/// equal case. Paths are absolute; keys without a value stand in comments.
std::string resolved_toml(const Case& values);

/// Every key that has a value, given or by default, and that value as TOML: "output.picture.0.axis"
/// is a key of the first in a list of tables.
std::vector<std::pair<std::string, std::string>> case_values(const Case& values);

/// The files whose content the case depends on, with the key that names each.
std::vector<std::pair<std::string, std::filesystem::path>> case_files(const Case& values);

/// A table of the keys: name, default, unit, meaning with what is allowed. With `sections` only of
/// those and of what is in them: "output" has "output.picture", too. Error(usage) for a section
/// that the schema does not have.
std::string key_table(const CaseSchema& schema, const std::vector<std::string>& sections = {});

}  // namespace goban
