#pragma once
// The order in which patches have the active cells of a grid.

#include <memory>

#include "goban/base/communicator.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

/// Puts GridState::list into so many parts as the settings say or, where they leave it open, as
/// there are to be patches; along the curve where some parts would have more than 3 % more cells
/// than others, or cuts are told. Nothing of other grids. Collective; the first rank makes the
/// parts. Errors: those of parts_of().
void order_list(GridState& grid, Communicator& communicator);

/// The list for as many patches.
std::shared_ptr<const ActiveCells> ordered_list(const GridState& grid, int patches,
                                                Communicator& communicator);

}  // namespace goban
