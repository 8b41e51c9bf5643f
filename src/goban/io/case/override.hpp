#pragma once
// Puts "key=value" of the command line into the tree of a case file.

#include <optional>
#include <string>

#include "goban/io/case/schema.hpp"
#include "goban/io/case/toml.hpp"

namespace goban {

struct OverrideProblem {
  bool unknown = false;  ///< the key is not in the schema
  std::string problem, why, suggestion;
};

/// Sets the key in the tree to an untyped word, or says why not.
std::optional<OverrideProblem> apply_override(const std::string& override_text, int number,
                                              const CaseSchema& schema, TomlValue& root);

}  // namespace goban
