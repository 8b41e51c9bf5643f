#include "goban/adjoint/tangent.hpp"

#include <algorithm>

#include "goban/adjoint/column_tangent.hpp"
#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/mirrored_ends.hpp"
#include "goban/adjoint/number_stages.hpp"
#include "goban/adjoint/solve_derivatives.hpp"
#include "goban/adjoint/step_numbers.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/base/error.hpp"
#include "goban/stencil/graph/branches.hpp"

namespace goban {
namespace {

using detail::FieldPointer;
using detail::FieldSet;
using detail::GraphArithmetic;
using detail::StepRecord;
using detail::StepSweep;

std::shared_ptr<GridState> grid_of_step(const StepRecord& step, const std::string& name) {
  const auto sweep = std::find_if(step.sweeps.begin(), step.sweeps.end(), [](const StepSweep& one) {
    return !one.group && !one.computes_numbers();
  });
  require(sweep != step.sweeps.end(), "no tangent of program '" + name + "'", "it has no sweeps");
  return grid_of(*sweep->stage);
}

}  // namespace

Tangent::Tangent(const Program& step, const std::vector<GradientOf>& with_respect_to)
    : fields_(grid_of_step(detail::record_of(step), step.name()), detail::DerivativeKind::tangent) {
  const StepRecord record = detail::record_of(step);
  FieldSet given;
  std::set<std::shared_ptr<ParameterRecord>> parameters;
  for (const GradientOf& one : with_respect_to) {
    if (one.parameter) {
      parameters.insert(one.parameter);
      numbers_[one.parameter] = Parameter<double>("change of " + one.parameter->name).record();
    } else {
      require(detail::is_differentiable(*one.field), "no change of '" + one.field->name + "'",
              "its values are whole numbers");
      given.insert(one.field);
    }
  }
  const std::vector<FieldSet> active = detail::dependent_fields(record, given, parameters);
  for (const auto& parameter : parameters) {
    if (numbers_.count(parameter) > 0) continue;
    numbers_[parameter] = Parameter<double>("change of " + parameter->name).record();
  }
  FieldSet all = given;
  for (const FieldSet& some : active) all.insert(some.begin(), some.end());
  detail::add_renamed(record, all);
  for (const FieldPointer& field : all) fields_.of(field).field->is_output = true;
  for (const auto& follow : record.follows) program_.add(follow);
  for (std::size_t n = 0; n < record.sweeps.size(); ++n) {
    const StepSweep& sweep = record.sweeps[n];
    if (sweep.group) {
      add_group(sweep, active[n]);
      continue;
    }
    if (sweep.stage->columns) {
      add_columns(sweep, active[n]);
      continue;
    }
    auto stage = std::make_shared<Stage>(*sweep.stage);
    if (sweep.computes_numbers()) {
      for (const auto& changes : tangent_of_compute(sweep, numbers_)) program_.add(changes);
      program_.add(std::move(stage));
      continue;
    }
    add_changes(sweep, active[n]);
    stage->arguments = sweep.arguments;
    stage->mask = sweep.mask;
    program_.add(std::move(stage));
  }
  for (const auto& [number, last] : record.replaced) {
    program_.add(detail::copying_stage(last, number));
  }
  add_renaming(record);
}

bool Tangent::changes(const StageArgument& argument, const FieldSet& active) const {
  return argument.parameter ? numbers_.count(argument.parameter) > 0
                            : argument.field && active.count(argument.field) > 0;
}

/// What holds the change of an argument, which changes.
StageArgument Tangent::change_of(const StageArgument& argument, const StepSweep& sweep) {
  if (argument.field) {
    detail::check_ends(*argument.field, *sweep.stage);
    return fields_.of(argument.field);
  }
  return {StageArgument::Kind::value, Access::in, nullptr, nullptr,
          numbers_.at(argument.parameter)};
}

void Tangent::add_group(const StepSweep& sweep, const FieldSet& active) {
  for (const auto& stage : sweep.group->stages) program_.add(stage);
  const FieldPointer& unknown = sweep.group->unknown;
  if (!unknown || !fields_.knows(unknown)) return;
  const StageArgument change = fields_.of(unknown);
  const auto change_of_read = [&](const StageArgument& one) -> std::optional<StageArgument> {
    if (!changes(one, active)) return {};
    return change_of(one, sweep);
  };
  for (const auto& stage : detail::tangent_of_solve(sweep, change, change_of_read)) {
    program_.add(stage);
  }
}

void Tangent::add_columns(const StepSweep& sweep, const FieldSet& active) {
  const auto stage = detail::columns_with_changes(
      sweep, fields_,
      [&](const GraphNode& leaf) {
        return changes(sweep.arguments[static_cast<std::size_t>(leaf.data[0])], active);
      },
      [&](const StageArgument& argument) { return change_of(argument, sweep); });
  stage->region = sweep.stage->region;
  program_.add(stage);
}

/// The changes of what a sweep writes, before it writes that.
void Tangent::add_changes(const StepSweep& sweep, const FieldSet& active) {
  GraphArithmetic graph(without_branches(*sweep.stage->graph, sweep.stage->footprint));
  std::vector<StageArgument> parameters = sweep.arguments;
  const auto change_of_leaf = [&](const GraphNode& leaf) {
    const StageArgument one = parameters[static_cast<std::size_t>(leaf.data[0])];
    if (!changes(one, active)) return -1;
    GraphNode change = leaf;
    change.data[0] = static_cast<std::int64_t>(parameters.size());
    parameters.push_back(change_of(one, sweep));
    return graph.add_node(change);
  };
  const std::vector<int> roots = graph.graph().branches().front().outputs;
  const std::vector<int> made = detail::forward_derivatives(graph, roots, change_of_leaf);
  const detail::SweepOfNodes changed{"changes of " + sweep.stage->name, &graph.graph(), &parameters,
                                     detail::offset_of(sweep), detail::field_of(sweep)};
  if (sweep.stage->kind == Stage::Kind::reduce) {
    const auto change = numbers_.find(sweep.stage->target);
    if (change == numbers_.end()) return;
    const int sum = made.front() < 0 ? graph.number(0, roots.front()) : made.front();
    const auto stage = detail::summing_stage(changed, sum, change->second);
    stage->region = sweep.stage->region;
    stage->mask = sweep.mask;
    program_.add(stage);
    return;
  }
  std::vector<detail::NodeAssignment> assignments;
  for (std::size_t n = 0; n < roots.size(); ++n) {
    const Output& output = sweep.stage->footprint.outputs[n];
    const StageArgument& written = sweep.arguments[static_cast<std::size_t>(output.parameter)];
    if (!written.field || !fields_.knows(written.field)) continue;
    const int none = graph.number(0, roots[n]);
    assignments.push_back(
        {fields_.of(written.field), output.component, made[n] < 0 ? none : made[n]});
  }
  if (assignments.empty()) return;
  const auto stage = detail::assigning_stage(changed, assignments);
  stage->region = sweep.stage->region;
  stage->mask = sweep.mask;
  program_.add(stage);
}

/// Names stand for others at the end, both of fields and of their changes.
void Tangent::add_renaming(const StepRecord& step) {
  for (const auto& stage : detail::renaming(fields_.grid(), step.renamed)) {
    auto changes = std::make_shared<Stage>(*stage);
    changes->names.clear();
    for (const FieldPointer& name : stage->names) {
      if (fields_.knows(name)) changes->names.push_back(fields_.of(name).field);
    }
    program_.add(stage);
    if (changes->names.size() > 1) program_.add(changes);
  }
}

FieldPointer Tangent::change_of(const FieldPointer& field) const {
  require(fields_.knows(field), "there is no change of '" + field->name + "'",
          "it depends on nothing of what was given");
  return fields_.all().at(field);
}

std::shared_ptr<ParameterRecord> Tangent::change_of(
    const std::shared_ptr<ParameterRecord>& parameter) const {
  const auto found = numbers_.find(parameter);
  require(found != numbers_.end(), "there is no change of '" + parameter->name + "'",
          "it was not given");
  return found->second;
}

}  // namespace goban
