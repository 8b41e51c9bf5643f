#include "goban/adjoint/solve_derivatives.hpp"

#include "goban/adjoint/field_stages.hpp"
#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/program/program.hpp"
#include "goban/stencil/graph/branches.hpp"

namespace goban::detail {
namespace {

using Stages = std::vector<std::shared_ptr<Stage>>;
using ChangeOf = std::function<std::optional<StageArgument>(const StageArgument& argument)>;

void append(Program& program, const Stages& stages) {
  for (const auto& stage : stages) program.add(stage);
}

/// Appends the change of the residual of each equation, times a factor, as that component of a
/// field.
void add_change_of_residual(Program& program, const StepSweep& solve, const ChangeOf& change_of,
                            double factor, const StageArgument& to) {
  const int bytes = to.field->type == ElementType::float64 ? 8 : 4;
  for (std::size_t n = 0; n < solve.equations.size(); ++n) {
    const StepSweep& equation = solve.equations[n];
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
        {"change of " + solve.stage->name, &graph.graph(), &parameters, offset_of(equation), to},
        {{to, static_cast<int>(n), graph.convert(sum, bytes)}}));
  }
}

}  // namespace

SolveAdjoint reverse_of_solve(const StepSweep& solve, const FieldSet& active, AdjointFields& fields,
                              SweepAdjoint& adjoint) {
  const FieldPointer unknown = solve.unknown();
  const auto forget_overwritten = [&] {
    for (const StageArgument& one : solve.arguments) {
      const bool is_overwritten = one.field && one.access != Access::in && fields.knows(one.field);
      if (is_overwritten) adjoint.set_zero(fields.of(one.field).field.get());
    }
  };
  if (!unknown || !fields.knows(unknown) || adjoint.is_zero(fields.of(unknown).field.get())) {
    forget_overwritten();
    return {};
  }
  const auto& grid = fields.grid();
  const StageArgument of_unknown = fields.of(unknown);
  const StageArgument lambda = fields.make("lambda of " + unknown->name, *unknown,
                                           of_unknown.field->type, unknown->components);
  const auto reverse = [&](SweepAdjoint& of, const FieldSet& wanted) {
    Stages stages;
    for (std::size_t n = 0; n < solve.equations.size(); ++n) {
      const auto made =
          of.reverse_of_weighted(solve.equations[n], wanted, lambda, static_cast<int>(n));
      stages.insert(stages.end(), made.begin(), made.end());
    }
    return stages;
  };
  const AdjointNumbers none;
  SweepAdjoint products(fields, none, {});
  const auto transposed = [&](Program& program, const FieldPointer& y, const FieldPointer& v) {
    program.add(copying_stage(y, lambda.field, grid));
    products.set_zero(of_unknown.field.get());
    append(program, reverse(products, {unknown}));
    program.add(copying_stage(of_unknown.field, v, grid, -1));
  };
  const Solve::OfChanges changes = solve.solve->of_changes(transposed);
  Program made("adjoint of " + solve.stage->name);
  made.add(copying_stage(of_unknown.field, changes.known, grid));
  changes.append(made);
  made.add(copying_stage(changes.unknown, lambda.field, grid));
  forget_overwritten();
  FieldSet others = active;
  others.erase(unknown);
  return {made.stages(), reverse(adjoint, others)};
}

Stages tangent_of_solve(const StepSweep& solve, const StageArgument& change,
                        const ChangeOf& change_of) {
  const FieldPointer unknown = solve.unknown();
  const auto product = [&](Program& program, const FieldPointer& y, const FieldPointer& v) {
    const ChangeOf of_unknown = [&](const StageArgument& one) -> std::optional<StageArgument> {
      if (one.field != unknown) return {};
      return argument_of(y, change.grid);
    };
    add_change_of_residual(program, solve, of_unknown, -1, argument_of(v, change.grid));
  };
  const Solve::OfChanges changes = solve.solve->of_changes(product);
  Program made("changes of " + solve.stage->name);
  const ChangeOf of_others = [&](const StageArgument& one) -> std::optional<StageArgument> {
    if (one.field == unknown) return {};
    return change_of(one);
  };
  add_change_of_residual(made, solve, of_others, 1, argument_of(changes.known, change.grid));
  changes.append(made);
  made.add(copying_stage(changes.unknown, change.field, change.grid));
  return made.stages();
}

}  // namespace goban::detail
