#pragma once
// Which decomposition a grid starts with.

#include "goban/grid/decomposition.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

/// The settings' cuts or process grid; one patch where they leave it open.
/// Errors (ExitCode::usage): more patches than cells along an axis, cuts that do not add up.
Decomposition choose_decomposition(const GridState& grid);

}  // namespace goban
