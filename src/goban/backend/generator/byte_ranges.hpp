#pragma once
// Bytes of which a graph shows that they are small: four of them are added and compared as one
// word.

#include <map>
#include <string>

#include "goban/stencil/graph/graph.hpp"

namespace goban {

class ByteRanges {
 public:
  /// Finds the ranges of a graph that may grow meanwhile; `arguments`: constants that may be any
  /// number.
  ByteRanges(const Graph& graph, const std::map<int, int>& arguments)
      : graph_(graph), arguments_(arguments) {}

  /// What computes such a node in fewer steps (kernels/pack.cuh); empty: nothing.
  std::string short_function(const GraphNode& node);

 private:
  /// Where a value lies for certain.
  struct Range {
    int low = 0, high = 255;
  };
  Range of(int n);
  Range found(int n, const GraphNode& node);
  /// The range of a sum or difference that does not wrap.
  Range exact(const GraphNode& node);

  const Graph& graph_;
  const std::map<int, int>& arguments_;
  std::map<int, Range> known_;
};

}  // namespace goban
