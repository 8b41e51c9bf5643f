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
  if (stage.columns && stage.mask) {
    refuse(stage, "it sweeps columns, of which a mask leaves cells out", "take the mask off");
  }
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
    if (stage->kind != Kind::repeat) step_.items.push_back({stage});
    switch (stage->kind) {
      case Kind::reduce: add_result(*stage, stage->target.get(), Access::out); [[fallthrough]];
      case Kind::apply: return add_sweep(stage);
      case Kind::permute: return rename(*stage);
      case Kind::sample: return add_sample(*stage);
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
      const bool is_late = std::any_of(step_.sweeps.begin(), step_.sweeps.end(),
                                       [](const auto& one) { return !one.computes_numbers(); });
      if (!followed_.insert(parameter).second || is_late) {
        refuse(*stage, "parameter '" + parameter->name + "' follows the time within the step",
               "have it follow the time once, before all sweeps");
      }
      return step_.follows.push_back(stage);
    }
    StepSweep numbers{stage, {}, nullptr};
    for (std::size_t n = 0; n < stage->parameters.size(); ++n) {
      const Access access = stage->parameter_access[n];
      if (access != Access::in) add_result(*stage, stage->parameters[n].get(), access);
      numbers.arguments.push_back(
          {StageArgument::Kind::value, access, nullptr, nullptr, stage->parameters[n]});
    }
    push(std::move(numbers));
  }

  /// A number that the step computes, where it is not constant to those that read it.
  struct Result {
    std::size_t writer = 0;
    std::string refusal{};
  };

  void add_result(const Stage& stage, const ParameterRecord* parameter, Access access) {
    Result& result = results_[parameter];
    if (step_.results.insert(parameter).second) {
      result.writer = step_.sweeps.size();
    } else {
      result.refusal = "which the step computes more than once";
    }
    if (stage.kind == Kind::reduce && stage.reduction != Reduction::sum) {
      result.refusal = "the largest or smallest of some values";
    } else if (stage.kind == Kind::compute && !stage.as_sweep) {
      result.refusal = "which a function computes that takes no `auto`";
    } else if (access == Access::inout) {
      result.refusal = "which a step hands to the next";
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
    push(std::move(sweep));
  }

  void push(StepSweep sweep) {
    step_.items.back().sweep = static_cast<int>(step_.sweeps.size());
    step_.sweeps.push_back(std::move(sweep));
  }

  void add_sample(const Stage& stage) {
    StepSample sample{stage.samples, step_.sweeps.size()};
    for (const auto& field : stage.samples->fields()) sample.fields.push_back(at_present(field));
    step_.samples.push_back(std::move(sample));
  }

  FieldPointer at_present(const FieldPointer& name) const { return step_.at_end(name); }

  void rename(const Stage& stage) {
    std::vector<FieldPointer> stood_for;
    for (const auto& name : stage.names) stood_for.push_back(at_present(name));
    for (std::size_t n = 0; n < stood_for.size(); ++n) {
      step_.renamed[stage.names[n]] = stood_for[(n + 1) % stood_for.size()];
    }
  }

  /// Scalar stages whose numbers no sweep reads are left out: what they compute are results.
  void check_parameters() {
    std::set<const ParameterRecord*> read;
    std::vector<bool> is_needed(step_.sweeps.size());
    for (std::size_t n = step_.sweeps.size(); n-- > 0;) {
      const StepSweep& sweep = step_.sweeps[n];
      is_needed[n] = !sweep.computes_numbers() || writes_one_of(sweep, read);
      for (const StageArgument& argument : sweep.arguments) {
        if (!is_needed[n] || !argument.parameter || argument.access == Access::out) continue;
        read.insert(argument.parameter.get());
        const auto found = results_.find(argument.parameter.get());
        if (found == results_.end()) continue;
        if (found->second.writer >= n) found->second.refusal = "which a step hands to the next";
        if (!found->second.refusal.empty()) {
          refuse(*sweep.stage,
                 "it reads parameter '" + argument.parameter->name + "', " + found->second.refusal,
                 "set it before the run, or have it follow the time");
        }
      }
    }
    keep(is_needed, read);
  }

  void keep(const std::vector<bool>& is_needed, const std::set<const ParameterRecord*>& read) {
    std::vector<StepSweep> needed;
    std::vector<std::size_t> before{0};  // needed ones before each
    for (std::size_t n = 0; n < step_.sweeps.size(); ++n) {
      before.push_back(before.back() + (is_needed[n] ? 1 : 0));
      if (!is_needed[n]) continue;
      for (const auto& [parameter, result] : results_) {
        if (result.writer == n && read.count(parameter) > 0) {
          step_.writers[parameter] = needed.size();
        }
      }
      needed.push_back(std::move(step_.sweeps[n]));
    }
    step_.sweeps = std::move(needed);
    for (StepSample& sample : step_.samples) sample.sweeps_before = before[sample.sweeps_before];
    for (StepItem& item : step_.items) {
      if (item.sweep < 0) continue;
      const auto n = static_cast<std::size_t>(item.sweep);
      item.sweep = is_needed[n] ? static_cast<int>(before[n]) : -1;
    }
  }
  static bool writes_one_of(const StepSweep& compute,
                            const std::set<const ParameterRecord*>& read) {
    return std::any_of(compute.arguments.begin(), compute.arguments.end(), [&](const auto& one) {
      return one.access != Access::in && read.count(one.parameter.get()) > 0;
    });
  }

  StepRecord step_;
  std::map<const ParameterRecord*, Result> results_;
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

const StageArgument& field_of(const StepSweep& sweep) {
  return *std::find_if(sweep.arguments.begin(), sweep.arguments.end(),
                       [](const StageArgument& one) { return one.field != nullptr; });
}

StepRecord record_of(const Program& program) { return StepReader().read(program); }

FieldSet StepRecord::overwritten_first() const {
  FieldSet seen, overwritten;
  for (std::size_t n = 0; n < sweeps.size(); ++n) {
    const StepSweep& sweep = sweeps[n];
    for (const StepSample& sample : samples) {
      if (sample.sweeps_before == n) seen.insert(sample.fields.begin(), sample.fields.end());
    }
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

std::vector<FieldSet> dependent_fields(const StepRecord& step, const FieldSet& given,
                                       std::set<std::shared_ptr<ParameterRecord>>& parameters) {
  FieldSet at_begin = given;
  while (true) {
    std::vector<FieldSet> before;
    FieldSet now = at_begin;
    for (const StepSweep& sweep : step.sweeps) {
      before.push_back(now);
      const bool depends = std::any_of(
          sweep.arguments.begin(), sweep.arguments.end(), [&](const StageArgument& argument) {
            if (argument.parameter)
              return argument.access != Access::out && parameters.count(argument.parameter) > 0;
            return argument.field && argument.access != Access::out &&
                   now.count(argument.field) > 0;
          });
      if (depends && sweep.stage->kind == Stage::Kind::reduce &&
          step.writers.count(sweep.stage->target.get()) > 0) {
        parameters.insert(sweep.stage->target);
      }
      for (const StageArgument& argument : sweep.arguments) {
        if (argument.access == Access::in) continue;
        if (argument.parameter && depends) parameters.insert(argument.parameter);
        if (!argument.field) continue;
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
