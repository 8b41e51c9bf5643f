#pragma once
// Graphs without branches, for what computes many cells at a time.

#include "goban/stencil/graph/graph.hpp"

namespace goban {

/// The same values on one path: where paths part, both sides are computed, which values without
/// side effects allow, and every output is selected from theirs. What only one side assigns keeps
/// on the other what it held before; what no side assigns stays node -1. `footprint` is that of the
/// functor.
Graph without_branches(const Graph& graph, const Footprint& footprint);

}  // namespace goban
