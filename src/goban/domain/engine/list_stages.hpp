#pragma once
// Stages on grids of active cells, and the tables by which they find neighbours.

#include "goban/domain/data/domain.hpp"

namespace goban {

/// The stages on lists of active cells in place of those that know of boxes. Makes the tables they
/// need and fills them for the patches of the domain. Collective.
std::vector<std::shared_ptr<Stage>> on_lists(const std::vector<std::shared_ptr<Stage>>& stages,
                                             Domain& domain);

}  // namespace goban
