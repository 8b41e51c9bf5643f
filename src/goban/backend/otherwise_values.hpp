#pragma once
// Finds values that are only used as the last operand of select(condition, a, b), such as what a
// wall reflects. Cells in which the condition holds need not compute them.

#include <vector>

#include "goban/stencil/graph/graph.hpp"

namespace goban {

/// Returns for each node of the graph whether it is a read that is used only by selections, and
/// only where their condition does not hold; or a sum, difference or product with such a read that
/// one selection uses in this way. Cells where the condition holds need not read it. `roots`: the
/// nodes that are wanted.
std::vector<bool> otherwise_values(const Graph& graph, const std::vector<int>& roots);

/// Returns the nodes that the functor writes.
std::vector<int> results_of(const Graph& graph);

}  // namespace goban
