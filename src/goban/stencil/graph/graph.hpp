#pragma once
// What a functor computes, as data: values and what they are made of, recorded by calling the
// functor with values that record. Kernels of devices are written from it, and describe prints it.

#include <string>
#include <unordered_map>
#include <vector>

#include "goban/stencil/graph/footprint.hpp"
#include "goban/stencil/graph/graph_node.hpp"

namespace goban {

/// A path through the functor's branches, as it is taken: what each condition was.
struct GraphDecision {
  int condition = -1;  ///< node
  bool outcome = false;
};

class Graph {
 public:
  /// A place where paths part, or where one ends.
  struct Branch {
    int condition = -1;               ///< node; -1: the path ends here
    std::array<int, 2> next{-1, -1};  ///< branches where it is false and true; -1: never
    std::vector<int> outputs;         ///< at ends: node of each of Footprint::outputs
  };

  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const GraphNode& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }
  /// The first is where all paths begin.
  const std::vector<Branch>& branches() const { return branches_; }

  /// Nodes that `roots` are made of, themselves included, each once, operands first.
  std::vector<int> needed_for(const std::vector<int>& roots) const;

  /// The same for graphs that are computed by the same kernel: all but the bits of constants that
  /// are given to kernels as arguments.
  std::string signature() const;

  /// Constants that kernels get as arguments, so that another time step needs no new kernel, in
  /// their order; others are part of the kernel.
  std::vector<int> argument_constants() const;

  int add(const GraphNode& node);
  void add_path(const std::vector<GraphDecision>& decisions, std::vector<int> outputs);
  /// The values stay, to be used by what is recorded next.
  void forget_paths() { branches_.clear(); }

 private:
  struct Hash {
    std::size_t operator()(const GraphNode& node) const;
  };
  std::vector<GraphNode> nodes_;
  std::unordered_map<GraphNode, int, Hash> numbers_;
  std::vector<Branch> branches_;
};

/// Small numbers and simple fractions, which compilers make use of.
bool is_literal(const GraphNode& constant);

/// Readable C++: a line for every value, reads as the functor writes them; `names` of parameters.
std::string text_of(const Graph& graph, const Footprint& footprint,
                    const std::vector<std::string>& names);

}  // namespace goban
