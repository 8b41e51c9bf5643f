#include "goban/adjoint/field_stages.hpp"

#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/stencil/graph/recorder.hpp"

namespace goban::detail {

StageArgument argument_of(const FieldPointer& field, const std::shared_ptr<GridState>& grid) {
  return {StageArgument::Kind::field, Access::in, field, grid, nullptr};
}

int read_node(Graph& graph, const FieldRecord& field, std::int64_t parameter, int component) {
  return graph.add(
      {GraphOp::read, Recorder::graph_type(field.type), {-1, -1, -1}, {parameter, component}});
}

std::shared_ptr<Stage> copying_stage(const FieldPointer& field, const FieldPointer& to,
                                     const std::shared_ptr<GridState>& grid) {
  const std::vector<StageArgument> parameters{argument_of(field, grid)};
  Graph graph;
  std::vector<NodeAssignment> assignments;
  for (int c = 0; c < field->components; ++c) {
    assignments.push_back({argument_of(to, grid), c, read_node(graph, *field, 0, c)});
  }
  return assigning_stage({"copy of " + field->name, &graph, &parameters}, assignments);
}

}  // namespace goban::detail
