#include "goban/adjoint/graph_derivatives.hpp"

#include <algorithm>

#include "goban/adjoint/partials.hpp"
#include "goban/base/error.hpp"
#include "goban/stencil/graph/graph_names.hpp"

namespace goban::detail {
namespace {

bool is_leaf(const GraphNode& node) {
  return node.op == GraphOp::read || node.op == GraphOp::value;
}

/// The condition under which `minimum` and `maximum` give their second operand.
int takes_second(GraphArithmetic& graph, const GraphNode& node) {
  const auto [a, b, c] = node.operands;
  return node.op == GraphOp::minimum ? graph.less(b, a) : graph.less(a, b);
}

/// The node with other operands and, of what lies beyond the ends, with 0.
GraphNode with_zero_beyond(GraphNode walled, int operand) {
  walled.operands[0] = operand;
  walled.data[2] = walled.data[3] = 0;
  return walled;
}

void check(const GraphNode& node) {
  const char* reason = refusal_of(node.op);
  if (!reason) return;
  throw Error(
      ExitCode::usage,
      std::string("no derivative of ") + (name_of(node.op) ? name_of(node.op) : sign_of(node.op)),
      reason, "take it out of what is derived");
}

/// Nodes that depend on leaves that are wanted, among those that `roots` are made of.
std::vector<bool> dependent(const Graph& graph, const std::vector<int>& needed,
                            const IsWanted& is_wanted) {
  std::vector<bool> depends(graph.nodes().size());
  for (const int n : needed) {
    const GraphNode node = graph.node(n);  // a copy: who is asked may add to the graph
    if (node.type.kind != GraphType::Kind::floating) continue;
    bool any = is_leaf(node) && is_wanted(node);
    for (const int operand : node.operands) {
      any = any || (operand >= 0 && depends[static_cast<std::size_t>(operand)]);
    }
    depends[static_cast<std::size_t>(n)] = any;
    if (any) check(node);
  }
  return depends;
}

class Reverse {
 public:
  Reverse(GraphArithmetic& graph, const IsWanted& is_wanted)
      : graph_(graph), is_wanted_(is_wanted) {}

  std::map<int, Terms> of(const std::vector<Seed>& seeds) {
    std::vector<int> roots;
    for (const Seed& seed : seeds) roots.push_back(seed.root);
    std::vector<int> needed = graph_.graph().needed_for(roots);
    depends_ = dependent(graph_.graph(), needed, is_wanted_);
    for (const Seed& seed : seeds) add(seed.root, seed.terms, false);
    std::reverse(needed.begin(), needed.end());
    std::map<int, Terms> leaves;
    for (const int n : needed) {
      const auto found = sums_.find(n);
      if (found == sums_.end()) continue;
      if (is_leaf(graph_.node(n))) {
        leaves[n] = found->second;
      } else {
        pass_on(n, of_few_terms(found->second));
      }
    }
    return leaves;
  }

 private:
  void add(int to, const Terms& terms, bool is_conditional) {
    if (to < 0 || !depends_[static_cast<std::size_t>(to)] || terms.empty()) return;
    Terms& sum = sums_[to];
    for (const Term& term : terms) {
      const auto same = std::find_if(sum.begin(), sum.end(),
                                     [&](const Term& one) { return one.node == term.node; });
      if (same == sum.end()) {
        sum.push_back(term);
      } else {
        same->weight = graph_.add(same->weight, term.weight);
      }
    }
    std::erase_if(sum, [&](const Term& one) { return graph_.number_of(one.weight) == 0.0; });
    if (sum.empty()) sums_.erase(to);
    if (is_conditional) conditional_[to] = true;
  }

  /// What many numbers add up to is computed once, not wherever it is passed on to: a moment of
  /// populations.
  Terms of_few_terms(const Terms& terms) {
    constexpr std::size_t few = 4;
    return terms.size() > few ? term(node_of(graph_, terms)) : terms;
  }

  Terms term(int node) { return {{node, graph_.number(1, node)}}; }

  void pass_on(int n, const Terms& terms) {
    const GraphNode node = graph_.node(n);  // a copy: the graph grows
    const bool is_conditional = conditional_[n];
    switch (node.op) {
      case GraphOp::within:
      case GraphOp::stored_as_half: return add(node.operands[0], terms, is_conditional);
      case GraphOp::convert: return pass_converted(node.operands[0], terms, is_conditional);
      case GraphOp::walled: {
        GraphNode made = with_zero_beyond(node, node_of(graph_, terms));
        return add(node.operands[0], term(graph_.add_node(made)), true);
      }
      case GraphOp::select:
        return pass_selected(node.operands[0], node.operands[1], node.operands[2], terms);
      case GraphOp::minimum:
      case GraphOp::maximum:
        return pass_selected(takes_second(graph_, node), node.operands[1], node.operands[0], terms);
      default: break;
    }
    for (int i = 0; i < 3; ++i) {
      const int operand = node.operands[static_cast<std::size_t>(i)];
      if (operand < 0 || !depends_[static_cast<std::size_t>(operand)]) continue;
      const bool is_guarded = is_conditional && may_be_infinite(node.op);
      add(operand, product(terms, partial(graph_, n, i), is_guarded), is_conditional);
    }
  }

  void pass_converted(int operand, const Terms& terms, bool is_conditional) {
    if (!depends_[static_cast<std::size_t>(operand)]) return;
    const int bytes = graph_.node(operand).type.bytes;
    add(operand, term(graph_.convert(node_of(graph_, terms), bytes)), is_conditional);
  }

  void pass_selected(int condition, int yes, int no, const Terms& terms) {
    const int all = node_of(graph_, terms);
    const int zero = graph_.number(0, all);
    if (depends_[static_cast<std::size_t>(yes)]) {
      add(yes, term(graph_.select(condition, all, zero)), true);
    }
    if (depends_[static_cast<std::size_t>(no)]) {
      add(no, term(graph_.select(condition, zero, all)), true);
    }
  }

  Terms product(const Terms& terms, int factor, bool is_guarded) {
    if (is_guarded) return term(graph_.multiply_where_nonzero(node_of(graph_, terms), factor));
    if (graph_.varies(factor)) return term(graph_.multiply(node_of(graph_, terms), factor));
    if (graph_.number_of(factor) == 0.0) return {};
    Terms made = terms;
    for (Term& one : made) one.weight = graph_.multiply(one.weight, factor);
    return made;
  }

  GraphArithmetic& graph_;
  const IsWanted& is_wanted_;
  std::vector<bool> depends_;
  std::map<int, Terms> sums_;
  std::map<int, bool> conditional_;  ///< 0 where another branch was taken
};

class Forward {
 public:
  Forward(GraphArithmetic& graph, const std::function<int(const GraphNode&)>& change_of)
      : graph_(graph), change_of_(change_of) {}

  std::vector<int> of(const std::vector<int>& roots) {
    const IsWanted changes = [&](const GraphNode& leaf) { return change_of_(leaf) >= 0; };
    const std::vector<int> needed = graph_.graph().needed_for(roots);
    const std::vector<bool> depends = dependent(graph_.graph(), needed, changes);
    for (const int n : needed) {
      if (depends[static_cast<std::size_t>(n)]) change_[n] = change(n);
    }
    std::vector<int> changes_of_roots;
    for (const int root : roots) changes_of_roots.push_back(known(root));
    return changes_of_roots;
  }

 private:
  int known(int n) const {
    const auto found = change_.find(n);
    return found == change_.end() ? -1 : found->second;
  }

  int change(int n) {
    const GraphNode node = graph_.node(n);  // a copy: the graph grows
    const int first = node.operands[0] < 0 ? -1 : known(node.operands[0]);
    switch (node.op) {
      case GraphOp::read:
      case GraphOp::value: return change_of_(node);
      case GraphOp::within:
      case GraphOp::stored_as_half: return first;
      case GraphOp::convert: return graph_.convert(first, node.type.bytes);
      case GraphOp::walled: return graph_.add_node(with_zero_beyond(node, first));
      case GraphOp::select: return selected(node.operands[0], node.operands[1], node.operands[2]);
      case GraphOp::minimum:
      case GraphOp::maximum:
        return selected(takes_second(graph_, node), node.operands[1], node.operands[0]);
      default: break;
    }
    int sum = graph_.number(0, n);
    for (int i = 0; i < 3; ++i) {
      const int operand = node.operands[static_cast<std::size_t>(i)];
      if (operand < 0 || known(operand) < 0) continue;
      sum = graph_.add(sum, graph_.multiply(known(operand), partial(graph_, n, i)));
    }
    return sum;
  }

  int selected(int condition, int yes, int no) {
    const int some = known(yes) >= 0 ? known(yes) : known(no);
    const int zero = graph_.number(0, some);
    return graph_.select(condition, known(yes) >= 0 ? known(yes) : zero,
                         known(no) >= 0 ? known(no) : zero);
  }

  GraphArithmetic& graph_;
  const std::function<int(const GraphNode&)>& change_of_;
  std::map<int, int> change_;
};

}  // namespace

int node_of(GraphArithmetic& graph, const Terms& terms) {
  int sum = graph.number(0, terms.front().weight);
  for (const Term& term : terms) {
    sum = graph.add(sum, term.node < 0 ? term.weight : graph.multiply(term.weight, term.node));
  }
  return sum;
}

std::map<int, Terms> reverse_derivatives(GraphArithmetic& graph, const std::vector<Seed>& seeds,
                                         const IsWanted& is_wanted) {
  return Reverse(graph, is_wanted).of(seeds);
}

std::vector<int> forward_derivatives(GraphArithmetic& graph, const std::vector<int>& roots,
                                     const std::function<int(const GraphNode& leaf)>& change_of) {
  return Forward(graph, change_of).of(roots);
}

}  // namespace goban::detail
