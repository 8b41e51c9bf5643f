#pragma once
// What a functor computes at one cell, from the graph that recording it has made.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "goban/stencil/graph/graph.hpp"
#include "goban/stencil/site.hpp"

namespace goban {

/// A cell and what is known there.
struct CellView {
  SiteInfo site{};
  std::vector<double> values;  ///< per parameter of the functor
  /// Value of a component of a parameter at this offset from the cell; of scratch, of the level
  /// visited before or of that at hand.
  std::function<double(int parameter, int component, const Index3& offset, bool before)> read;
};

class GraphEvaluator {
 public:
  explicit GraphEvaluator(const Graph& graph)
      : graph_(graph), value_(graph.nodes().size()), known_(graph.nodes().size(), -1) {}

  /// What is assigned at the cell, for each output of the footprint; none where it is not. It is
  /// valid until the next call.
  const std::vector<std::optional<double>>& operator()(const CellView& cell);
  /// The bits of the value of a node there.
  std::uint64_t bits(int node, const CellView& cell) {
    ++cell_;
    return value(node, cell);
  }

 private:
  /// The bits of a node's value at the cell; computed once a cell.
  std::uint64_t value(int node, const CellView& cell);
  template <class T>
  T number(int node, const CellView& cell);
  template <class T>
  T compute(const GraphNode& node, const CellView& cell);
  template <class T>
  T arithmetic(const GraphNode& node, const CellView& cell);
  bool compare(const GraphNode& node, const CellView& cell);

  const Graph& graph_;
  std::vector<std::uint64_t> value_;
  std::vector<Index> known_;  ///< per node: the cell whose value it has
  Index cell_ = 0;
  std::vector<std::optional<double>> outputs_;
};

}  // namespace goban
