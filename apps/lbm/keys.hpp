#pragma once
// The keys of a case of flow, and the model they describe.

#include "goban/simulation/application/common_keys.hpp"
#include "lbm/model.hpp"

namespace goban::lbm {

void declare_keys(CaseSchema& schema);

/// Errors (ExitCode::usage, naming the key): cells that are not cubes, sides that do not fit
/// together, a viscosity the scheme cannot have, images and surfaces that do not fit. Error
/// (ExitCode::files): an image or a surface that cannot be read.
Model read_model(const Case& values);

}  // namespace goban::lbm
