#pragma once
// Puts "key=value" of the command line into the tree of a case file, and says what is wrong with a
// name that the schema does not have, here or in the file.

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

/// What to say of a name that is not in the schema, with the nearest one that is (names.hpp).
struct UnknownName {
  std::string problem, why, suggestion;
};
UnknownName describe_unknown(const std::string& name, bool section, const CaseSchema& schema,
                             const std::string& prefix);

}  // namespace goban
