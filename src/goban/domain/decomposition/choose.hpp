#pragma once
// Which decomposition a grid starts with.

#include <vector>

#include "goban/grid/decomposition.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

/// The settings' cuts or process grid; where they leave it open, a patch for every device of every
/// rank. Ranks have blocks of patches; none have those that are left over where the grid or the
/// settings have fewer pieces, or a number that fits no more ranks. `machines`: of every rank.
/// Errors (ExitCode::usage): more patches than cells along an axis, cuts that do not add up.
Decomposition choose_decomposition(const GridState& grid, const std::vector<int>& machines);

/// Where CPUs compute beside other devices: with these devices alone.
Decomposition decomposition_without_cpu(const GridState& grid, const std::vector<int>& machines);

/// Who has which patches: blocks with the least surface, as many as ranks can have one. Surfaces
/// between machines count for more; where all have as many ranks, those of each form a block, else
/// they follow each other.
void place_ranks(Decomposition& decomposition, const std::vector<int>& machines);

}  // namespace goban
