#pragma once
// Values of nodes at other cells, computed anew there.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "goban/adjoint/graph_arithmetic.hpp"

namespace goban::detail {

/// What a node is multiplied by beyond the ends of the grid: there are cells, as it is periodic; a
/// factor of its is 0; nothing is known.
enum class Beyond : std::uint8_t { cells, zero_factor, nothing };

/// Whether a node may as well be computed at cells these shifts away: it is the same there, of few
/// operations, reads no farther than `reach` along each axis, and is what it has to be beyond the
/// ends.
bool may_be_moved(const Graph& graph, int node, const std::vector<std::array<int, 3>>& shifts,
                  const std::array<int, 3>& reach, Beyond beyond);

/// The node with other reads in place of those that it is made of.
int rebuilt(GraphArithmetic& graph, int node,
            const std::function<GraphNode(const GraphNode& read)>& replacement);

/// The node as it is at the cell an offset away.
int moved(GraphArithmetic& graph, int node, const std::array<int, 3>& offset);

}  // namespace goban::detail
