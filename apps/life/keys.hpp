#pragma once
// The keys of a case of Life, and the model they describe.

#include "goban/simulation/application/common_keys.hpp"
#include "life/model.hpp"

namespace goban::life {

void declare_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): rules that cannot be read, cells outside the grid,
/// images that do not fit. Error (ExitCode::files): an image that cannot be read.
Model read_model(const Case& values);

}  // namespace goban::life
