#pragma once
// Arithmetic on nodes of a graph: new nodes for sums and products of others, without those that a
// constant makes superfluous.

#include <optional>

#include "goban/stencil/graph/graph.hpp"

namespace goban::detail {

class GraphArithmetic {
 public:
  explicit GraphArithmetic(Graph graph) : graph_(std::move(graph)) {}

  const Graph& graph() const { return graph_; }
  const GraphNode& node(int n) const { return graph_.node(n); }
  bool varies(int n) const { return node(n).type.varies; }
  bool is_floating(int n) const { return node(n).type.kind == GraphType::Kind::floating; }
  /// The number that a floating node holds, if it is a constant.
  std::optional<double> number_of(int n) const;

  /// Sums and products of the same two numbers are one node, whatever their order.
  int add_node(GraphNode node);
  /// A constant of the type of node `like`.
  int number(double value, int like);
  int add(int a, int b);
  int subtract(int a, int b) { return add(a, negate(b)); }
  int multiply(int a, int b);
  int divide(int a, int b);
  int negate(int a);
  /// A function of floating values of one type.
  int call(GraphOp op, int a, int b = -1);
  int less(int a, int b);
  int select(int condition, int a, int b);
  /// `a` where it is not 0, times b; 0 elsewhere, whatever b is there.
  int multiply_where_nonzero(int a, int b);
  /// As a floating value of this size.
  int convert(int a, int bytes);

 private:
  int folded(GraphNode made);

  Graph graph_;
};

}  // namespace goban::detail
