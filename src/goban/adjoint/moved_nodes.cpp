#include "goban/adjoint/moved_nodes.hpp"

#include <algorithm>
#include <map>

#include "goban/adjoint/partials.hpp"

namespace goban::detail {
namespace {

constexpr int most_operations = 24;

/// What the nodes that a node is made of are like.
struct Makeup {
  int cost = 0;                  ///< operations, functions counted as several
  bool is_bound = false;         ///< it asks for the place or the time, or is random
  bool may_be_infinite = false;  ///< where the values it is made of are others than inside
  std::array<int, 3> lowest{}, highest{};  ///< offsets of its reads along each axis
};

bool is_of_place(GraphOp op) {
  switch (op) {
    case GraphOp::gather:
    case GraphOp::neighbor:
    case GraphOp::index:
    case GraphOp::position:
    case GraphOp::time:
    case GraphOp::step:
    case GraphOp::random:
    case GraphOp::walled: return true;
    default: return false;
  }
}

int cost_of(GraphOp op) {
  switch (op) {
    case GraphOp::constant:
    case GraphOp::read:
    case GraphOp::value: return 0;
#define GOBAN_SPECIAL(name) case GraphOp::name:
      GOBAN_FUNCTIONS_OF_ONE(GOBAN_SPECIAL)
      GOBAN_FUNCTIONS_OF_TWO(GOBAN_SPECIAL)
#undef GOBAN_SPECIAL
      return 12;
    default: return 1;
  }
}

Makeup makeup_of(const Graph& graph, int node) {
  Makeup makeup;
  for (const int n : graph.needed_for({node})) {
    const GraphNode& one = graph.node(n);
    makeup.cost += one.type.varies ? cost_of(one.op) : 0;
    makeup.is_bound = makeup.is_bound || is_of_place(one.op);
    makeup.may_be_infinite = makeup.may_be_infinite || may_be_infinite(one.op);
    for (std::size_t a = 0; one.op == GraphOp::read && a < 3; ++a) {
      const auto offset = static_cast<int>(one.data[2 + a]);
      makeup.lowest[a] = std::min(makeup.lowest[a], offset);
      makeup.highest[a] = std::max(makeup.highest[a], offset);
    }
  }
  return makeup;
}

}  // namespace

bool may_be_moved(const Graph& graph, int node, const std::vector<std::array<int, 3>>& shifts,
                  const std::array<int, 3>& reach, Beyond beyond) {
  if (std::all_of(shifts.begin(), shifts.end(), [](const auto& one) {
        return one == std::array{0, 0, 0};
      })) {
    return true;
  }
  const Makeup makeup = makeup_of(graph, node);
  if (makeup.is_bound || makeup.cost > most_operations || beyond == Beyond::nothing) return false;
  if (makeup.may_be_infinite && beyond != Beyond::cells) return false;
  for (std::size_t a = 0; a < 3; ++a) {
    for (const auto& shift : shifts) {
      if (shift[a] + makeup.lowest[a] < -reach[a]) return false;
      if (shift[a] + makeup.highest[a] > reach[a]) return false;
    }
  }
  return true;
}

int rebuilt(GraphArithmetic& graph, int node,
            const std::function<GraphNode(const GraphNode& read)>& replacement) {
  std::map<int, int> copies;
  for (const int n : graph.graph().needed_for({node})) {
    GraphNode copy = graph.node(n);
    for (int& operand : copy.operands) {
      if (operand >= 0) operand = copies.at(operand);
    }
    copies[n] = graph.add_node(copy.op == GraphOp::read ? replacement(copy) : copy);
  }
  return copies.at(node);
}

int moved(GraphArithmetic& graph, int node, const std::array<int, 3>& offset) {
  if (offset == std::array{0, 0, 0}) return node;
  return rebuilt(graph, node, [&](GraphNode read) {
    for (std::size_t a = 0; a < 3; ++a) read.data[2 + a] += offset[a];
    return read;
  });
}

}  // namespace goban::detail
