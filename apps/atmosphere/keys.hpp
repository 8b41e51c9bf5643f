#pragma once
// The keys of a case of the atmosphere, and the model they describe.

#include "atmosphere/model.hpp"
#include "goban/simulation/application/common_keys.hpp"

namespace goban::atmosphere {

void declare_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): values that do not fit together, a time step at which
/// sound or diffusion is unstable.
Model read_model(const Case& values);

}  // namespace goban::atmosphere
