#include "goban/backend/cuda/generator/shared_levels.hpp"

#include <algorithm>

namespace goban::cuda {
namespace {

Read read_of(const GraphNode& node) {
  return {static_cast<int>(node.data[0]),
          static_cast<int>(node.data[1]),
          {static_cast<int>(node.data[2]), static_cast<int>(node.data[3]),
           static_cast<int>(node.data[4])}};
}

class Sharing {
 public:
  Sharing(const RecordedSweep& sweep, Axis axis, int direction)
      : graph_(*sweep.graph), footprint_(sweep.footprint), axis_(axis), direction_(direction) {
    const auto needed = graph_.needed_for(roots());
    std::vector<bool> is_needed(graph_.nodes().size());
    for (const int n : needed) is_needed[static_cast<std::size_t>(n)] = true;
    twins_.assign(graph_.nodes().size(), -1);
    for (const int n : needed) {
      const int twin = find_twin(graph_.node(n));
      if (twin >= 0 && is_needed[static_cast<std::size_t>(twin)]) {
        twins_[static_cast<std::size_t>(n)] = twin;
      }
    }
    for (const int root : roots()) visit(root);
  }

  bool has_any() const { return !handed_.empty(); }

  SharedLevels written(const std::vector<int>& constants) const {
    SharedLevels shared;
    std::vector<Read> needed;
    std::vector<int> numbers(graph_.nodes().size(), -1);
    const auto number = [&](int n) { return n < 0 ? n : numbers[static_cast<std::size_t>(n)]; };
    for (std::size_t n = 0; n < is_visited_.size(); ++n) {
      if (!is_visited_[n]) continue;
      GraphNode node = graph_.node(static_cast<int>(n));
      const auto place = std::find(handed_.begin(), handed_.end(), static_cast<int>(n));
      if (place != handed_.end()) {
        node = {GraphOp::read,
                node.type,
                {-1, -1, -1},
                {SharedLevels::parameter, place - handed_.begin()}};
      } else {
        for (int& operand : node.operands) operand = number(operand);
        if (node.op == GraphOp::read) needed.push_back(read_of(node));
      }
      numbers[n] = shared.graph.add(node);
    }
    for (const Read& read : footprint_.reads) {
      if (std::find(needed.begin(), needed.end(), read) != needed.end()) {
        shared.reads.push_back(read);
      }
    }
    const auto count = static_cast<int>(numbers.size());  // the way back has constants of its own
    for (const int n : constants) shared.constants.push_back(n < count ? number(n) : -1);
    std::vector<int> outputs;
    for (const int output : roots()) outputs.push_back(number(output));
    for (const int n : handed_) {
      outputs.push_back(number(twin(n)));
      shared.handed.push_back(graph_.node(n).type);
    }
    shared.graph.add_path({}, outputs);
    shared.first = graph_;
    shared.first.forget_paths();
    shared.first.add_path({}, handed_);
    return shared;
  }

 private:
  const std::vector<int>& roots() const { return graph_.branches().front().outputs; }
  int twin(int n) const { return twins_[static_cast<std::size_t>(n)]; }
  const ParameterDescription& parameter(int p) const {
    return footprint_.parameters[static_cast<std::size_t>(p)];
  }

  /// Returns the node of the functor that is equal to this one; -1 if there is none.
  int find(const GraphNode& node) {
    const int found = all_.add(node);
    return found < static_cast<int>(graph_.nodes().size()) ? found : -1;
  }

  /// Returns the node whose value at one level is the value of this node at the next level; -1 if
  /// there is none.
  int find_twin(GraphNode node) {
    if (!node.type.varies) return find(node);
    switch (node.op) {
      case GraphOp::read: {
        const ParameterDescription& of = parameter(read_of(node).parameter);
        if (of.kind != ParameterDescription::Kind::field || of.access != Access::in) return -1;
        node.data[2 + static_cast<std::size_t>(index_of(axis_))] += direction_;
        return find(node);
      }
      case GraphOp::index:
      case GraphOp::position:
      case GraphOp::random:
      case GraphOp::walled: return -1;
      default:
        for (int& operand : node.operands) {
          if (operand < 0) continue;
          operand = twin(operand);
          if (operand < 0) return -1;
        }
        return find(node);
    }
  }

  void visit(int n) {
    if (n < 0 || is_visited_[static_cast<std::size_t>(n)]) return;
    is_visited_[static_cast<std::size_t>(n)] = true;
    if (graph_.node(n).type.varies && twin(n) >= 0) {
      handed_.push_back(n);
      visit(twin(n));
      return;
    }
    for (const int operand : graph_.node(n).operands) visit(operand);
  }

  const Graph& graph_;
  Graph all_ = graph_;  ///< the graph, and nodes that were looked for
  const Footprint& footprint_;
  Axis axis_;
  int direction_;
  std::vector<int> twins_;  ///< by node; -1: none
  std::vector<bool> is_visited_ = std::vector<bool>(graph_.nodes().size());
  std::vector<int> handed_;
};

}  // namespace

SharedLevels share_levels(const RecordedSweep& sweep, Axis axis, bool is_backward,
                          const std::vector<int>& constants) {
  if (sweep.graph->branches().size() == 1) {
    const Sharing sharing(sweep, axis, is_backward ? -1 : 1);
    if (sharing.has_any()) return sharing.written(constants);
  }
  return {*sweep.graph, constants, sweep.footprint.reads, {}, {}};
}

}  // namespace goban::cuda
