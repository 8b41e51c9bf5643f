#pragma once
// Sweeps of columns as data.

#include <memory>

#include "goban/stencil/graph/graph.hpp"

namespace goban {

/// One of the two sweeps of a column functor, recorded: scratch is among the outputs, what is not
/// assigned has node -1. No graph: the functor has no such sweep.
struct RecordedSweep {
  Footprint footprint;
  std::shared_ptr<const Graph> graph;
};

}  // namespace goban
