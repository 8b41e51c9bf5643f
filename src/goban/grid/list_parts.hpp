#pragma once
// Lists of active cells whose pieces lie well: parts that hang together.

#include <memory>
#include <vector>

#include "goban/grid/active_cells.hpp"
#include "goban/partition/partition.hpp"

namespace goban {

/// The tiles of a list as a graph: their cells, linked by those that lie face to face.
WeightedGraph graph_of(const ActiveCells& cells);

/// Parts of the tiles of a list along the curve, about as many cells in each. Errors: there are
/// fewer tiles than parts (usage); those of make_parts().
Partition parts_of(const ActiveCells& cells, int parts, Partitioner partitioner);

/// The same cells in another order: part after part, `parts` being that of each tile; within a part
/// those tiles first that have nothing of other parts beside them, so that a patch that is a part
/// computes them in one go while messages travel.
std::shared_ptr<const ActiveCells> in_parts(const ActiveCells& cells,
                                            const std::vector<std::int32_t>& parts);

}  // namespace goban
