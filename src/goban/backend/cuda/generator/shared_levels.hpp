#pragma once
// Finds values that a level of a column has in common with the next one, so that they are computed
// once and handed on.

#include <vector>

#include "goban/base/types.hpp"
#include "goban/stencil/graph/recorded_sweep.hpp"

namespace goban::cuda {

/// A sweep in the form in which a kernel computes it. In an upward sweep the value of u(0, 0, -1)
/// is that of u() one level earlier; the same holds for everything computed from such values.
struct SharedLevels {
  /// The parameter number of reads that stand for values handed on; their component is the place
  /// among them.
  static constexpr int parameter = -1;

  /// The graph with these reads. After the functor's outputs come the values that the next level
  /// gets.
  Graph graph;
  std::vector<int> constants;  ///< nodes of `graph` for KernelSubject::constants; -1 if not needed
  std::vector<Read> reads;     ///< the reads of fields that `graph` needs
  std::vector<GraphType> handed;  ///< the types of the values handed on, by place
  Graph first;  ///< the functor's graph with the values that the first level needs as outputs
};

/// Shares values between levels. `is_backward`: levels are walked from the last to the first. Reads
/// of parameters that change while columns are swept are not shared.
SharedLevels share_levels(const RecordedSweep& sweep, Axis axis, bool is_backward,
                          const std::vector<int>& constants);

}  // namespace goban::cuda
