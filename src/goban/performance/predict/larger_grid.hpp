#pragma once
// The same program on a larger grid, for weak scaling.

#include "goban/performance/model/straight_run.hpp"

namespace goban {

/// Its grid has so many times the cells along each axis; regions that end where the grid ends,
/// still do.
StraightRun on_larger_grid(const StraightRun& run, Index3 factors);

}  // namespace goban
