#pragma once
// Which decomposition a grid starts with.

#include "goban/grid/decomposition.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

/// The settings' cuts or process grid; where they leave it open, a patch for every device of every
/// rank. Ranks have blocks of patches; none have those that are left over where the grid or the
/// settings have fewer pieces, or a number that fits no more ranks.
/// Errors (ExitCode::usage): more patches than cells along an axis, cuts that do not add up.
Decomposition choose_decomposition(const GridState& grid, int ranks);

/// Where CPUs compute beside other devices: with these devices alone.
Decomposition decomposition_without_cpu(const GridState& grid, int ranks);

/// Blocks of patches with the least surface, along each axis; as many as ranks can have one.
Index3 choose_ranks(const Decomposition& decomposition, int ranks);

}  // namespace goban
