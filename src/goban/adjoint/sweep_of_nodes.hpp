#pragma once
// A stage that computes some nodes of a graph: what these read becomes its arguments.

#include <memory>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban::detail {

/// A node and the component of a field that it is assigned to.
struct NodeAssignment {
  StageArgument to;
  int component = 0;
  int node = -1;
};

/// A stage of a program, of a graph whose reads and values name `parameters` by their position.
struct SweepOfNodes {
  std::string name;
  const Graph* graph = nullptr;
  const std::vector<StageArgument>* parameters = nullptr;
  Real3 offset{0.5, 0.5, 0.5};  ///< in a cell, of the places that the functor asks for
  StageArgument anchor{};       ///< a field of the grid, for sweeps that read and write none; sums
                                ///< are over its places
};

/// What a sweep assigns, and the graph that this is of.
struct AssignedNodes {
  const Graph* graph = nullptr;
  std::vector<NodeAssignment> assignments{};
};

/// The stage that assigns these nodes. An argument that is read and assigned is an inout, read at
/// the cell alone.
std::shared_ptr<Stage> assigning_stage(const SweepOfNodes& sweep,
                                       const std::vector<NodeAssignment>& assignments);
/// The stage whose `target` is the sum of this node over the cells.
std::shared_ptr<Stage> summing_stage(const SweepOfNodes& sweep, int node,
                                     std::shared_ptr<ParameterRecord> target);
/// The stage that sweeps columns; one of its sweeps may assign nothing. `scratch` describes the
/// numbers that a level keeps; nodes read and assign them as those of an argument of this kind.
std::shared_ptr<Stage> column_stage(const SweepOfNodes& sweep, Axis axis,
                                    ParameterDescription scratch, const AssignedNodes& forward,
                                    const AssignedNodes& backward);

}  // namespace goban::detail
