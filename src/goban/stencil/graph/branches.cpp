#include "goban/stencil/graph/branches.hpp"

namespace goban {
namespace {

GraphType computed_type(ElementType type) {
  switch (type) {
    case ElementType::uint8: return GraphType::of<std::uint8_t>(true);
    case ElementType::int32: return GraphType::of<std::int32_t>(true);
    case ElementType::float64: return GraphType::of<double>(true);
    default: return GraphType::of<float>(true);
  }
}

class Straightened {
 public:
  Straightened(const Graph& graph, const Footprint& footprint)
      : branches_(graph.branches()), footprint_(footprint), graph_(graph) {
    graph_.forget_paths();
  }

  Graph take() {
    if (!branches_.empty()) graph_.add_path({}, outputs_of(0));
    return std::move(graph_);
  }

 private:
  std::vector<int> outputs_of(int number) {
    const Graph::Branch& branch = branches_[static_cast<std::size_t>(number)];
    if (branch.condition < 0) return branch.outputs;
    if (branch.next[0] < 0 || branch.next[1] < 0) {
      return outputs_of(branch.next[branch.next[0] < 0 ? 1 : 0]);
    }
    std::vector<int> merged = outputs_of(branch.next[1]);
    const std::vector<int> otherwise = outputs_of(branch.next[0]);
    const int condition = truth_of(branch.condition);
    for (std::size_t n = 0; n < merged.size(); ++n) {
      merged[n] = selection(condition, merged[n], otherwise[n], n);
    }
    return merged;
  }

  /// A number that is the same for all cells may be a condition, too.
  int truth_of(int condition) {
    GraphType type = graph_.node(condition).type;
    if (type.kind == GraphType::Kind::mask) return condition;
    const GraphType truth = GraphType::mask(type.bytes, type.varies);
    type.varies = false;
    const int zero = graph_.add({GraphOp::constant, type});
    return graph_.add({GraphOp::not_equal, truth, {condition, zero, -1}});
  }

  int selection(int condition, int yes, int no, std::size_t output) {
    if (yes == no) return yes;
    if (yes < 0) yes = value_before(output);
    if (no < 0) no = value_before(output);
    if (yes == no) return yes;
    GraphType type = graph_.node(yes).type;
    type.varies = true;
    return graph_.add({GraphOp::select, type, {condition, yes, no}});
  }

  int value_before(std::size_t output) {
    const Output& written = footprint_.outputs[output];
    const auto parameter = static_cast<std::size_t>(written.parameter);
    return graph_.add({GraphOp::read,
                       computed_type(footprint_.parameters[parameter].type),
                       {-1, -1, -1},
                       {written.parameter, written.component}});
  }

  const std::vector<Graph::Branch>& branches_;
  const Footprint& footprint_;
  Graph graph_;
};

}  // namespace

Graph without_branches(const Graph& graph, const Footprint& footprint) {
  return Straightened(graph, footprint).take();
}

}  // namespace goban
