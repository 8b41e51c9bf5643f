#pragma once
// The keys of a case of heat conduction, and the model they describe.

#include "goban/simulation/application/common_keys.hpp"
#include "heat/model.hpp"

namespace goban::heat {

void declare_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): boundary conditions and phases that cannot be read,
/// images that do not fit the grid or hold grey values no phase names, keys that exclude each
/// other. Error (ExitCode::files): an image that cannot be read.
Model read_model(const Case& values);

}  // namespace goban::heat
