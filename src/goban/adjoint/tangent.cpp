#include "goban/adjoint/tangent.hpp"

#include <algorithm>

#include "goban/adjoint/column_tangent.hpp"
#include "goban/adjoint/graph_derivatives.hpp"
#include "goban/adjoint/mirrored_ends.hpp"
#include "goban/adjoint/number_stages.hpp"
#include "goban/adjoint/solve_derivatives.hpp"
#include "goban/adjoint/sweep_of_nodes.hpp"
#include "goban/base/error.hpp"
#include "goban/stencil/graph/branches.hpp"

namespace goban {
namespace {

using detail::FieldPointer;
using detail::FieldSet;
using detail::GraphArithmetic;
using detail::StepItem;
using detail::StepRecord;
using detail::StepSweep;

std::shared_ptr<GridState> grid_of_step(const StepRecord& step, const std::string& name) {
  const auto sweep = std::find_if(step.sweeps.begin(), step.sweeps.end(), [](const StepSweep& one) {
    return !one.solve && !one.computes_numbers();
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
  find_changes(record, active, parameters);
  for (auto item = record.items.begin(); item != record.items.end(); ++item) {
    if (item->stage->kind == Stage::Kind::permute) add_renaming(item->stage);
    if (item->sweep < 0) {
      program_.add(item->stage);
      continue;
    }
    const auto n = static_cast<std::size_t>(item->sweep);
    const StepItem& first = *item;
    if (record.sweeps[n].solve) {
      for (std::size_t left = record.sweeps[n].solve->stages; left > 0; --left) {
        program_.add((++item)->stage);
      }
    }
    add(first.stage, record.sweeps[n], active[n]);
  }
}

/// Declares changes: of all fields that depend on what is given, those with which the step
/// exchanges their names, and numbers, of which each value in the step has a name of its own in the
/// record.
void Tangent::find_changes(const StepRecord& record, const std::vector<FieldSet>& active,
                           const std::set<std::shared_ptr<ParameterRecord>>& parameters) {
  FieldSet all;
  for (const FieldSet& some : active) all.insert(some.begin(), some.end());
  for (std::size_t before = 0; before != all.size();) {
    before = all.size();
    for (const StepItem& item : record.items) {
      const auto& names = item.stage->names;
      const bool some = std::any_of(names.begin(), names.end(),
                                    [&](const FieldPointer& name) { return all.count(name) > 0; });
      if (some) all.insert(names.begin(), names.end());
    }
  }
  for (const FieldPointer& field : all) fields_.of(field).field->is_output = true;
  const auto add = [&](const std::shared_ptr<ParameterRecord>& value,
                       const std::shared_ptr<ParameterRecord>& name) {
    if (!value || parameters.count(value) == 0 || numbers_.count(name) > 0) return;
    numbers_[name] = Parameter<double>("change of " + name->name).record();
  };
  for (const StepItem& item : record.items) {
    if (item.sweep < 0) continue;
    const StepSweep& sweep = record.sweeps[static_cast<std::size_t>(item.sweep)];
    add(sweep.stage->target, item.stage->target);
    const auto& names = item.stage->parameters;
    for (std::size_t n = 0; n < names.size(); ++n) add(sweep.arguments[n].parameter, names[n]);
    for (std::size_t n = 0; n < item.stage->arguments.size(); ++n) {
      add(sweep.arguments[n].parameter, item.stage->arguments[n].parameter);
    }
  }
}

/// A stage of the step, with the changes of what it computes. Its fields and numbers are those that
/// its names stand for at present.
void Tangent::add(const std::shared_ptr<Stage>& stage, const StepSweep& record,
                  const FieldSet& active) {
  StepSweep sweep{stage, stage->arguments, stage->mask, record.solve};
  FieldSet names;
  const auto find_names = [&](const std::vector<StageArgument>& named,
                              const std::vector<StageArgument>& fields) {
    for (std::size_t n = 0; n < named.size(); ++n) {
      if (fields[n].field && active.count(fields[n].field) > 0) names.insert(named[n].field);
    }
  };
  if (sweep.computes_numbers()) {
    for (const auto& changes : tangent_of_compute(sweep, numbers_)) program_.add(changes);
    return void(program_.add(stage));
  }
  find_names(sweep.arguments, record.arguments);
  for (std::size_t n = 0; n < record.equations.size(); ++n) {
    const auto& equation = record.solve->equations[n];
    find_names(equation->arguments, record.equations[n].arguments);
    sweep.equations.push_back({equation, equation->arguments});
  }
  if (sweep.solve) return add_solve(sweep, names);
  if (stage->columns) return add_columns(sweep, names);
  add_changes(sweep, names);
  program_.add(stage);
}

/// The change of what a solve has found.
void Tangent::add_solve(const StepSweep& solve, const FieldSet& active) {
  const FieldPointer unknown = solve.unknown();
  if (!unknown || !fields_.knows(unknown)) return;
  const auto change_of_read = [&](const StageArgument& one) -> std::optional<StageArgument> {
    if (!changes(one, active)) return {};
    return change_of(one, solve);
  };
  for (const auto& stage : tangent_of_solve(solve, fields_.of(unknown), change_of_read)) {
    program_.add(stage);
  }
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

/// What exchanges the names of fields exchanges those of their changes.
void Tangent::add_renaming(const std::shared_ptr<Stage>& exchange) {
  if (!fields_.knows(exchange->names.front())) return;
  auto changes = std::make_shared<Stage>(*exchange);
  for (FieldPointer& name : changes->names) name = fields_.of(name).field;
  program_.add(std::move(changes));
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
