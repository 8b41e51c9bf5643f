#include "goban/adjoint/field_stages.hpp"

#include "goban/adjoint/graph_arithmetic.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/stencil/graph/recorder.hpp"

namespace goban::detail {

StageArgument argument_of(const FieldPointer& field, const std::shared_ptr<GridState>& grid) {
  return {StageArgument::Kind::field, Access::in, field, grid, nullptr};
}

GraphNode node_reading(const FieldRecord& field, std::int64_t parameter, int component) {
  return {GraphOp::read, Recorder::graph_type(field.type), {-1, -1, -1}, {parameter, component}};
}

std::shared_ptr<Stage> copying_stage(const FieldPointer& field, const FieldPointer& to,
                                     const std::shared_ptr<GridState>& grid, double factor) {
  const std::vector<StageArgument> parameters{argument_of(field, grid)};
  GraphArithmetic graph{Graph()};
  std::vector<NodeAssignment> assignments;
  for (int c = 0; c < field->components; ++c) {
    const int value = graph.add_node(node_reading(*field, 0, c));
    const bool is_copy = factor == 1;  // of whole numbers, too
    assignments.push_back({argument_of(to, grid), c,
                           is_copy ? value : graph.multiply(graph.number(factor, value), value)});
  }
  return assigning_stage({"copy of " + field->name, &graph.graph(), &parameters}, assignments);
}

}  // namespace goban::detail
