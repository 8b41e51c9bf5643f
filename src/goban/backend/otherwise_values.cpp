#include "goban/backend/otherwise_values.hpp"

namespace goban {
namespace {

bool combines(GraphOp op) {
  return op == GraphOp::add || op == GraphOp::subtract || op == GraphOp::multiply;
}

}  // namespace

std::vector<bool> otherwise_values(const Graph& graph, const std::vector<int>& roots) {
  const std::size_t count = graph.nodes().size();
  const std::vector<int> order = graph.needed_for(roots);
  // Whether every use of a value is by a selection, or by a combination that one selection uses.
  std::vector<bool> is_taken(count, true), is_combined(count, true);
  std::vector<int> uses(count);
  for (const int root : roots) {
    if (root < 0) continue;
    is_taken[static_cast<std::size_t>(root)] = is_combined[static_cast<std::size_t>(root)] = false;
  }
  for (auto at = order.rbegin(); at != order.rend(); ++at) {  // what takes a value comes after it
    const auto n = static_cast<std::size_t>(*at);
    const GraphNode& node = graph.node(*at);
    const bool is_selection =
        node.op == GraphOp::select && graph.node(node.operands[0]).type.varies;
    const bool is_combination = combines(node.op) && is_taken[n] && uses[n] == 1;
    for (std::size_t o = 0; o < node.operands.size(); ++o) {
      if (node.operands[o] < 0) continue;
      const auto operand = static_cast<std::size_t>(node.operands[o]);
      ++uses[operand];
      const bool is_otherwise = is_selection && o == 2;
      if (!is_otherwise) is_taken[operand] = false;
      if (!is_otherwise && !is_combination) is_combined[operand] = false;
    }
  }
  std::vector<bool> found(count);
  for (const int n : order) {
    const auto i = static_cast<std::size_t>(n);
    const GraphNode& node = graph.node(n);
    if (node.op == GraphOp::read) found[i] = is_combined[i];
    if (!combines(node.op) || !is_taken[i] || uses[i] != 1) continue;
    for (const int operand : node.operands) {
      if (operand < 0 || graph.node(operand).op != GraphOp::read) continue;
      if (found[static_cast<std::size_t>(operand)]) found[i] = true;
    }
  }
  return found;
}

std::vector<int> results_of(const Graph& graph) {
  std::vector<int> results;
  for (const Graph::Branch& branch : graph.branches()) {
    results.insert(results.end(), branch.outputs.begin(), branch.outputs.end());
  }
  return results;
}

}  // namespace goban
