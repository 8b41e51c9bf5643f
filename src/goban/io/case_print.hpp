#pragma once
// Cases and schemas as text.

#include <string>

#include "goban/io/case_file.hpp"

namespace goban {

/// A case file with every key of the schema, its value and its documentation; reading it gives an
/// equal case. Paths are absolute; keys without a value stand in comments.
std::string resolved_toml(const Case& values);

/// A table of the keys: name, default, unit, meaning with what is allowed.
std::string key_table(const CaseSchema& schema);

}  // namespace goban
