#pragma once
// Derivatives of what a functor computes at a cell, as further nodes of its graph: by the chain
// rule backwards, from its results to what it reads, or forwards.

#include <functional>
#include <map>
#include <vector>

#include "goban/adjoint/graph_arithmetic.hpp"

namespace goban::detail {

/// weight * node; the weight is the same for all cells. Node -1 stands for the number 1.
struct Term {
  int node = -1;
  int weight = -1;
};
/// Their sum. Linear functors have sums of few terms, whose weights fold.
using Terms = std::vector<Term>;

/// The node that a sum is.
int node_of(GraphArithmetic& graph, const Terms& terms);

/// What the derivative of a graph without branches starts from: an output and its factor.
struct Seed {
  int root = -1;
  Terms terms{};
};

/// Says whether a read or a value of a parameter is derived for.
using IsWanted = std::function<bool(const GraphNode& leaf)>;

/// For each read and each value of a parameter that is wanted: the sum over all seeds of the
/// seed's factor times the derivative of its root with respect to this number. Where a branch or a
/// select was not taken nothing comes of it, whatever its derivative would be. Error
/// (ExitCode::usage): an operation has no derivative.
std::map<int, Terms> reverse_derivatives(GraphArithmetic& graph, const std::vector<Seed>& seeds,
                                         const IsWanted& is_wanted);

/// Nodes of the change of each root (-1: none) where reads and parameters change: `change_of`
/// returns the node of the change of a leaf, or -1. Error as above.
std::vector<int> forward_derivatives(GraphArithmetic& graph, const std::vector<int>& roots,
                                     const std::function<int(const GraphNode& leaf)>& change_of);

}  // namespace goban::detail
