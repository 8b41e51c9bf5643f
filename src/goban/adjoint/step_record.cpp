#include "goban/adjoint/step_record.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban::detail {
namespace {

constexpr std::size_t most_sweeps = 1000;  // of a step whose repeats are written out

/// Refuses a stage: problem, reason, suggestion.
[[noreturn]] void refuse(const Stage& stage, const std::string& why,
                         const std::string& suggestion = {}) {
  throw Error(ExitCode::usage, "no derivatives of stage '" + stage.name + "'", why, suggestion);
}

void check_field(const Stage& stage, const StageArgument& argument, const GridState& grid) {
  const FieldRecord& field = *argument.field;
  if (argument.grid.get() != &grid) {
    refuse(stage, "it works on several grids", "take its fields from one grid");
  }
  if (field.in_place) {
    refuse(stage, "'" + field.name + "' is stored in place", "declare it without in place");
  }
}

void check_sweep(const Stage& stage) {
  if (stage.columns) refuse(stage, "it sweeps columns", "columns have no derivatives yet");
  const auto grid = grid_of(stage);
  if (grid->active) refuse(stage, "its grid has active cells", "take a grid of all cells");
  for (const StageArgument& argument : stage.arguments) {
    if (argument.field) check_field(stage, argument, *grid);
  }
}

class StepReader {
 public:
  StepRecord read(const Program& program) {
    add(program);
    check_parameters();
    return std::move(step_);
  }

 private:
  using Kind = Stage::Kind;

  void add(const Program& program) {
    for (const auto& stage : program.stages()) add(stage);
  }

  void add(const std::shared_ptr<Stage>& stage) {
    switch (stage->kind) {
      case Kind::reduce: results_[stage->target.get()] = stage.get(); [[fallthrough]];
      case Kind::apply: return add_sweep(stage);
      case Kind::permute: return rename(*stage);
      case Kind::sample: return;
      case Kind::compute: return add_compute(stage);
      case Kind::call:
        if (!stage->writes.empty()) {
          refuse(*stage, "it calls a function that writes '" + stage->writes.front()->name + "'",
                 "write a functor");
        }
        return;
      case Kind::repeat:
        for (Index n = 0; n < stage->count; ++n) add(*stage->body);
        return;
      case Kind::until:
        refuse(*stage, "how often it repeats depends on values", "repeat a fixed number of times");
      default: refuse(*stage, "it moves fields to another grid");
    }
  }

  void add_compute(const std::shared_ptr<Stage>& stage) {
    if (stage->is_check) return;
    if (stage->timed_function) {
      const ParameterRecord* parameter = stage->parameters.front().get();
      if (!followed_.insert(parameter).second || !step_.sweeps.empty()) {
        refuse(*stage, "parameter '" + parameter->name + "' follows the time within the step",
               "have it follow the time once, before all sweeps");
      }
      return step_.follows.push_back(stage);
    }
    for (std::size_t n = 0; n < stage->parameters.size(); ++n) {
      if (stage->parameter_access[n] != Access::in) {
        results_[stage->parameters[n].get()] = stage.get();
      }
    }
  }

  void add_sweep(const std::shared_ptr<Stage>& stage) {
    check_sweep(*stage);
    if (step_.sweeps.size() == most_sweeps) {
      refuse(*stage, "the step has more than " + std::to_string(most_sweeps) + " sweeps",
             "make a step of one round");
    }
    StepSweep sweep{stage, stage->arguments, stage->mask ? at_present(stage->mask) : nullptr};
    for (StageArgument& argument : sweep.arguments) {
      if (argument.field) argument.field = at_present(argument.field);
    }
    step_.sweeps.push_back(std::move(sweep));
  }

  FieldPointer at_present(const FieldPointer& name) const { return step_.at_end(name); }

  void rename(const Stage& stage) {
    std::vector<FieldPointer> stood_for;
    for (const auto& name : stage.names) stood_for.push_back(at_present(name));
    for (std::size_t n = 0; n < stood_for.size(); ++n) {
      step_.renamed[stage.names[n]] = stood_for[(n + 1) % stood_for.size()];
    }
  }

  /// Numbers that the step itself computes are results, and constant to its sweeps.
  void check_parameters() const {
    for (const StepSweep& sweep : step_.sweeps) {
      for (const StageArgument& argument : sweep.arguments) {
        if (!argument.parameter || results_.count(argument.parameter.get()) == 0) continue;
        refuse(*sweep.stage,
               "it reads parameter '" + argument.parameter->name + "', which the step computes",
               "set it before the run, or have it follow the time");
      }
    }
  }

  StepRecord step_;
  std::map<const ParameterRecord*, const Stage*> results_;
  std::set<const ParameterRecord*> followed_;
};

}  // namespace

bool is_differentiable(const FieldRecord& field) {
  return field.type == ElementType::half || field.type == ElementType::float32 ||
         field.type == ElementType::float64;
}

void add_renamed(const StepRecord& step, FieldSet& fields) {
  std::size_t before = 0;
  while (before != fields.size()) {
    before = fields.size();
    for (const auto& [name, other] : step.renamed) {
      if (fields.count(name) > 0) fields.insert(other);
      if (fields.count(other) > 0) fields.insert(name);
    }
  }
}

Real3 offset_of(const StepSweep& sweep) {
  Real3 offset{0.5, 0.5, 0.5};
  for (const StageArgument& argument : sweep.arguments) {
    if (!argument.field || argument.access == Access::in) continue;
    for (int a = 0; a < 3; ++a) {
      offset[static_cast<std::size_t>(a)] = is_staggered(argument.field->location, a) ? 0.0 : 0.5;
    }
  }
  return offset;
}

StepRecord record_of(const Program& program) { return StepReader().read(program); }

FieldSet StepRecord::overwritten_first() const {
  FieldSet seen, overwritten;
  for (const StepSweep& sweep : sweeps) {
    if (sweep.mask) seen.insert(sweep.mask);
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.field && !sweep.renews(argument)) seen.insert(argument.field);
    }
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.field && seen.insert(argument.field).second) {
        overwritten.insert(argument.field);
      }
    }
  }
  return overwritten;
}

FieldSet StepRecord::changed() const {
  FieldSet all;
  for (const StepSweep& sweep : sweeps) {
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.field && argument.access != Access::in) all.insert(argument.field);
    }
  }
  for (const auto& [name, other] : renamed) {
    if (name != other) all.insert(name);
  }
  return all;
}

std::vector<FieldSet> dependent_fields(
    const StepRecord& step, const FieldSet& given,
    const std::set<std::shared_ptr<ParameterRecord>>& parameters) {
  FieldSet at_begin = given;
  while (true) {
    std::vector<FieldSet> before;
    FieldSet now = at_begin;
    for (const StepSweep& sweep : step.sweeps) {
      before.push_back(now);
      const bool depends = std::any_of(sweep.arguments.begin(), sweep.arguments.end(),
                                       [&](const StageArgument& argument) {
                                         if (argument.parameter)
                                           return parameters.count(argument.parameter) > 0;
                                         return argument.field && argument.access != Access::out &&
                                                now.count(argument.field) > 0;
                                       });
      for (const StageArgument& argument : sweep.arguments) {
        if (!argument.field || argument.access == Access::in) continue;
        if (depends && is_differentiable(*argument.field)) now.insert(argument.field);
        if (!depends && sweep.renews(argument)) now.erase(argument.field);
      }
    }
    FieldSet next = at_begin;
    FieldSet names = now;
    for (const auto& [name, stands_for] : step.renamed) names.insert(name);
    FieldSet at_end;
    for (const FieldPointer& name : names) {
      if (now.count(step.at_end(name)) > 0) at_end.insert(name);
    }
    next.insert(at_end.begin(), at_end.end());
    if (next == at_begin) {
      before.push_back(now);
      return before;
    }
    at_begin = std::move(next);
  }
}

}  // namespace goban::detail
