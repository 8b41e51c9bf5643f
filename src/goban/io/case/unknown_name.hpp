#pragma once
// Says what is wrong with a name that a schema does not have.

#include <string>

#include "goban/io/case/schema.hpp"

namespace goban {

/// What to say of the name, with the nearest one that the schema has.
struct UnknownName {
  std::string problem, why, suggestion;
};
/// Describes the name of a key, or of a section, which is written without `prefix`.
UnknownName describe_unknown(const std::string& name, bool section, const CaseSchema& schema,
                             const std::string& prefix);

}  // namespace goban
