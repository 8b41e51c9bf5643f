#pragma once
// Values that are of no use but as what a selection takes otherwise: what a wall reflects, say.

#include <vector>

#include "goban/stencil/graph/graph.hpp"

namespace goban {

/// Per node of the graph, whether it is a read that selections alone take, where their condition
/// does not hold, or a sum, difference or product with such a read that one selection takes so:
/// cells where the condition holds need not read. `roots`: what is wanted of the graph.
std::vector<bool> otherwise_values(const Graph& graph, const std::vector<int>& roots);

/// Nodes of what the functor makes.
std::vector<int> results_of(const Graph& graph);

}  // namespace goban
