#pragma once
// What a level of a column has in common with the next one is computed once, and handed on.

#include <vector>

#include "goban/base/types.hpp"
#include "goban/stencil/graph/recorded_sweep.hpp"

namespace goban::cuda {

/// A sweep as a kernel computes it: the value of u(0, 0, -1) on the way up is that of u() one level
/// before, and the same goes for all that is made of such values.
struct SharedLevels {
  /// Parameter of the reads that stand for values handed on; their component is the place below.
  static constexpr int parameter = -1;

  /// The graph with these reads; after the outputs of the functor come values that the next level
  /// gets.
  Graph graph;
  std::vector<int> constants;     ///< as KernelSubject::constants, nodes of `graph`; -1: not needed
  std::vector<Read> reads;        ///< what `graph` needs of fields
  std::vector<GraphType> handed;  ///< types of values handed on, by place
  Graph first;                    ///< the functor's, its outputs what the first level gets
};

/// `is_backward`: levels are walked from the last to the first. Reads of parameters that do not
/// stay as they are while columns are swept are shared by no levels.
SharedLevels share_levels(const RecordedSweep& sweep, Axis axis, bool is_backward,
                          const std::vector<int>& constants);

}  // namespace goban::cuda
