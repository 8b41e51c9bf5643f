#pragma once
// The keys of a case of dendritic growth, and the model they describe.

#include "dendrite/model.hpp"
#include "goban/simulation/application/common_keys.hpp"

namespace goban::dendrite {

void declare_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): cells that are not cubes, no nucleus, keys of the
/// other model or that exclude each other.
Model read_model(const Case& values);

}  // namespace goban::dendrite
