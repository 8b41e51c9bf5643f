#include "goban/adjoint/solve_derivatives.hpp"

#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/program/program.hpp"
#include "goban/stencil/graph/branches.hpp"

namespace goban::detail {
namespace {

using Stages = std::vector<std::shared_ptr<Stage>>;
using ChangeOf = std::function<std::optional<StageArgument>(const StageArgument& argument)>;

StageArgument argument_of(const FieldPointer& field, const std::shared_ptr<GridState>& grid) {
  return {StageArgument::Kind::field, Access::in, field, grid, nullptr};
}

void append(Program& program, const Stages& stages) {
  for (const auto& stage : stages) program.add(stage);
}

/// Appends the change of the residual of each equation, times a factor, as that component of a
/// field.
void add_change_of_residual(Program& program, const StepGroup& group, const ChangeOf& change_of,
                            double factor, const StageArgument& to) {
  const int bytes = to.field->type == ElementType::float64 ? 8 : 4;
  for (std::size_t n = 0; n < group.equations.size(); ++n) {
    const StepSweep& equation = group.equations[n];
    GraphArithmetic graph(without_branches(*equation.stage->graph, equation.stage->footprint));
    std::vector<StageArgument> parameters = equation.arguments;
    const int root = graph.graph().branches().front().outputs.front();
    const int made = forward_derivatives(graph, {root}, [&](const GraphNode& leaf) {
                       const auto change =
                           change_of(equation.arguments[static_cast<std::size_t>(leaf.data[0])]);
                       if (!change) return -1;
                       GraphNode changed = leaf;
                       changed.data[0] = static_cast<std::int64_t>(parameters.size());
                       parameters.push_back(*change);
                       return graph.add_node(changed);
                     }).front();
    const int sum =
        made < 0 ? graph.number(0, root) : graph.multiply(graph.number(factor, made), made);
    program.add(assigning_stage(
        {"change of " + group.solve->name, &graph.graph(), &parameters, offset_of(equation), to},
        {{to, static_cast<int>(n), graph.convert(sum, bytes)}}));
  }
}

}  // namespace

Stages reverse_of_solve(const StepRecord& step, std::size_t sweep, const FieldSet& active,
                        AdjointFields& fields, SweepAdjoint& adjoint, ForwardPart& forward) {
  const StepSweep& solve = step.sweeps[sweep];
  const StepGroup& group = *solve.group;
  if (!group.solve || !fields.knows(group.unknown)) return {};
  const StageArgument of_unknown = fields.of(group.unknown);
  if (adjoint.is_zero(of_unknown.field.get())) return {};
  const StageArgument lambda = fields.make("lambda of " + group.unknown->name, *group.unknown,
                                           of_unknown.field->type, group.unknown->components);
  FieldSet others = active;
  others.erase(group.unknown);
  const auto reverse = [&](SweepAdjoint& of, const FieldSet& wanted) {
    Stages stages;
    for (std::size_t n = 0; n < group.equations.size(); ++n) {
      const auto made =
          of.reverse_of_weighted(group.equations[n], wanted, lambda, static_cast<int>(n));
      stages.insert(stages.end(), made.begin(), made.end());
    }
    return stages;
  };
  const AdjointNumbers none;
  SweepAdjoint products(fields, none, {});
  const auto transposed = [&](Program& program, const FieldPointer& y, const FieldPointer& v) {
    program.add(copying_stage(argument_of(y, fields.grid()), lambda));
    products.set_zero(of_unknown.field.get());
    append(program, reverse(products, {group.unknown}));
    program.add(copying_stage(of_unknown, argument_of(v, fields.grid()), -1));
  };
  const Solve::OfChanges changes = group.solve->of_changes(transposed);
  Program made("adjoint of " + solve.stage->name);
  made.add(copying_stage(of_unknown, argument_of(changes.known, fields.grid())));
  changes.append(made);
  made.add(copying_stage(argument_of(changes.unknown, fields.grid()), lambda));
  adjoint.set_zero(of_unknown.field.get());
  if (group.solve->overwrites_known && fields.knows(group.known)) {
    adjoint.set_zero(fields.of(group.known).field.get());
  }
  const Stages added = reverse(adjoint, others);
  forward.serve(sweep + 1, added);
  std::vector<StageArgument> read = group.also_read;
  for (const StepSweep& equation : group.equations) {
    for (const StageArgument& one : equation.arguments) {
      const bool is_coefficient =
          one.field && one.field != group.unknown && one.field != group.known;
      if (is_coefficient || one.parameter) read.push_back(one);
    }
  }
  forward.serve_as_they_are(sweep + 1, read);
  for (const FieldPointer& field : changes.overwritten) forward.overwrite(field);
  append(made, added);
  return made.stages();
}

Stages tangent_of_solve(const StepSweep& solve, const StageArgument& change,
                        const ChangeOf& change_of) {
  const StepGroup& group = *solve.group;
  const auto product = [&](Program& program, const FieldPointer& y, const FieldPointer& v) {
    const ChangeOf of_unknown = [&](const StageArgument& one) -> std::optional<StageArgument> {
      if (one.field != group.unknown) return {};
      return argument_of(y, change.grid);
    };
    add_change_of_residual(program, group, of_unknown, -1, argument_of(v, change.grid));
  };
  const Solve::OfChanges changes = group.solve->of_changes(product);
  Program made("changes of " + solve.stage->name);
  const ChangeOf of_others = [&](const StageArgument& one) -> std::optional<StageArgument> {
    if (one.field == group.unknown) return {};
    return change_of(one);
  };
  add_change_of_residual(made, group, of_others, 1, argument_of(changes.known, change.grid));
  changes.append(made);
  made.add(copying_stage(argument_of(changes.unknown, change.grid), change));
  return made.stages();
}

}  // namespace goban::detail
