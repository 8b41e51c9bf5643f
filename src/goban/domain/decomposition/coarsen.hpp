#pragma once
// How a grid is cut that is coarsened from another.

#include <vector>

#include "goban/domain/decomposition/amalgamation.hpp"
#include "goban/grid/decomposition.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

struct PaperRank;

/// Makes cuts that are those of the finer grid divided by the ratio, patches where those of the
/// finer grid are: a stage that works on both finds what it reads in the patch of the same place
/// and around it. Error (ExitCode::usage): a patch would have no cells.
Decomposition cut_as_finer(const Decomposition& finer, const GridState& grid);

/// Gives the one device of a rank on paper all of every grid that is coarsened from this one.
void add_coarser(PaperRank& rank, const GridState& root);

/// The same, unless the grid asks for another process grid, is faster on one device, has columns
/// along an axis that is cut, or patches would be thin: then along that axis two become one until
/// they are not. `machines`: the machine of every rank.
Decomposition cut_coarsened(const Decomposition& finer, const GridState& grid,
                            const std::vector<int>& machines);

}  // namespace goban
