#pragma once
// Lists of active cells whose pieces lie well: parts that hang together.

#include <memory>

#include "goban/grid/active_cells.hpp"

namespace goban {

/// The same cells in another order: part after part of whole tiles, about as many cells in each;
/// within a part those tiles first that have nothing of other parts beside them, so that a patch
/// that is a part computes them in one go while messages travel. Parts are flooded, or pieces of
/// Morton's curve where that cuts fewer cells from each other. The order depends on the cells and
/// `parts` alone. Error (ExitCode::usage): there are fewer tiles than parts.
std::shared_ptr<const ActiveCells> in_parts(const ActiveCells& cells, int parts);

}  // namespace goban
