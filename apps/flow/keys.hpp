#pragma once
// The keys of a case of incompressible flow, and the model they describe.

#include "flow/model.hpp"
#include "goban/simulation/application/common_keys.hpp"

namespace goban::flow {

void declare_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): values that do not fit together, a time step at which
/// diffusion is unstable. Error (ExitCode::files): a file that cannot be read.
Model read_model(const Case& values);

}  // namespace goban::flow
