#pragma once
// What the two sweeps of a column stage hand to each other and from level to level.

#include <set>
#include <vector>

#include "goban/adjoint/graph_arithmetic.hpp"
#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/step_record.hpp"

namespace goban::detail {

/// A read as a sweep of columns sees it.
struct ColumnRead {
  enum class Kind : std::uint8_t {
    field,   ///< what was there before the stage, or a number
    level,   ///< what the forward sweep has left at the level
    before,  ///< scratch of the level visited before
  };
  Kind kind = Kind::field;
  int output = -1;  ///< what it is among the outputs of both sweeps; -1: nothing
};

/// A stage that sweeps columns, without branches. Both sweeps have the same outputs, components of
/// scratch and of fields, of which each assigns some.
struct ColumnRecord {
  struct Sweep {
    GraphArithmetic graph;
    std::vector<int> roots;  ///< per output: its node; -1: the sweep does not assign it

    bool assigns(int output) const {
      return !roots.empty() && roots[static_cast<std::size_t>(output)] >= 0;
    }
    /// Nodes that these outputs are made of, operands first.
    std::vector<int> needed_for(const std::set<int>& outputs) const;
  };

  explicit ColumnRecord(const StepSweep& sweep);

  ColumnRead read(const Sweep& by, const GraphNode& leaf) const;
  bool is_scratch(int output) const;
  /// Reads of one kind by a sweep.
  std::set<int> outputs_read(const Sweep& by, ColumnRead::Kind kind) const;
  /// What one level or sweep hands to another that depends on what is wanted.
  std::set<int> active(const IsWanted& is_wanted) const;
  /// Whether a leaf of a sweep is derived for.
  IsWanted is_derived(const Sweep& by, const std::set<int>& active,
                      const IsWanted& is_wanted) const;

  std::vector<Output> outputs;
  int scratch = -1;  ///< position of the argument; -1: there is none
  ParameterDescription scratch_description{};
  Sweep forward, backward;

 private:
  static bool depends(const Sweep& by, int output, const IsWanted& is_such);
};

/// Whether a node is a read or the value of a parameter.
inline bool is_leaf(const GraphNode& node) {
  return node.op == GraphOp::read || node.op == GraphOp::value;
}

}  // namespace goban::detail
