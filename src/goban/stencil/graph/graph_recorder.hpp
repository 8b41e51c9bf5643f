#pragma once
// A graph while it is recorded.

#include <array>
#include <memory>
#include <span>

#include "goban/stencil/graph/graph.hpp"
#include "goban/stencil/graph/trace.hpp"

namespace goban {

namespace detail {

class GraphRecorder {
 public:
  Graph graph;
  std::vector<GraphDecision> decisions;  ///< decisions on this path
  std::vector<int> outputs;              ///< outputs on this path
};

/// A functor, without its type.
struct Recordable {
  std::span<const ParameterDescription> parameters;
  SweepRole role;
  const void* functor;
  void (*call)(const void* functor, Recorder& recorder);  ///< with accessors for the parameters
};

/// `f` has to stay.
template <class... Parameters, class F>
Recordable recordable(const F& f) {
  check_callable<F, Parameters...>();
  static constexpr std::array<ParameterDescription, sizeof...(Parameters)> parameters = {
      DescriptionOf<Parameters>::value...};
  return {parameters, role_of<F>(), &f,
          [](const void* functor, [[maybe_unused]] Recorder& recorder) {
            if constexpr (CallableWith<F, Parameters...>) {
              call_traced<Parameters...>(*static_cast<const F*>(functor), recorder);
            }
          }};
}

/// See trace(); adds to the graph.
StaticFootprint record_paths(GraphRecorder& graph, const Recordable& functor);

}  // namespace detail

/// What an object does, and what it computes.
struct RecordedFunctor {
  StaticFootprint footprint;
  std::shared_ptr<const Graph> graph;
};

RecordedFunctor record(const detail::Recordable& functor);

/// See trace().
template <class... Parameters, class F>
RecordedFunctor record(const F& f) {
  return record(detail::recordable<Parameters...>(f));
}

}  // namespace goban
