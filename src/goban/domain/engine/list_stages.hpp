#pragma once
// Prepares stages on grids of active cells and the tables by which they find neighbours.

#include "goban/domain/data/domain.hpp"

namespace goban {

/// Replaces stages that work on boxes by stages on lists of active cells. Makes the tables of
/// neighbours that they need and fills them for the patches of the domain. Collective.
std::vector<std::shared_ptr<Stage>> on_lists(const std::vector<std::shared_ptr<Stage>>& stages,
                                             Domain& domain);

}  // namespace goban
