#pragma once
// A graph while it is recorded.

#include <memory>

#include "goban/stencil/graph/graph.hpp"
#include "goban/stencil/graph/trace.hpp"

namespace goban {

namespace detail {

class GraphRecorder {
 public:
  Graph graph;
  std::vector<GraphDecision> decisions;  ///< on this path
  std::vector<int> outputs;              ///< on this path
};

}  // namespace detail

/// What an object does, and what it computes.
struct RecordedFunctor {
  StaticFootprint footprint;
  std::shared_ptr<const Graph> graph;
};

/// See trace().
template <class... Parameters, class F>
RecordedFunctor record(const F& f) {
  detail::GraphRecorder graph;
  RecordedFunctor recorded;
  recorded.footprint = trace<Parameters...>(f, detail::Recorder(graph));
  recorded.graph = std::make_shared<const Graph>(std::move(graph.graph));
  return recorded;
}

}  // namespace goban
