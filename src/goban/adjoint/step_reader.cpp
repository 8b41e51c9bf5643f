// How a program becomes the record of a step.

#include <algorithm>

#include "goban/adjoint/step_numbers.hpp"
#include "goban/adjoint/step_record.hpp"
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
    step_.handed = numbers_.handed();
    step_.replaced = numbers_.replaced();
    leave_results_out();
    return std::move(step_);
  }

 private:
  using Kind = Stage::Kind;

  void add(const Program& program) {
    const auto& stages = program.stages();
    const std::vector<StageGroup> groups = groups_of(program);
    auto group = groups.begin();
    for (std::size_t n = 0; n < stages.size(); ++n) {
      if (group == groups.end() || group->first != n) {
        add(stages[n]);
        continue;
      }
      add_group(*group, {stages.begin() + static_cast<std::ptrdiff_t>(n),
                         stages.begin() + static_cast<std::ptrdiff_t>(group->last)});
      n = group++->last - 1;
    }
  }

  void add(const std::shared_ptr<Stage>& stage) {
    switch (stage->kind) {
      case Kind::apply:
      case Kind::reduce: return add_sweep(stage);
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
    if (stage->timed_function) return add_follow(stage);
    std::vector<std::shared_ptr<ParameterRecord>> parameters;
    std::vector<StageArgument> arguments;
    for (std::size_t n = 0; n < stage->parameters.size(); ++n) {
      const auto& parameter = stage->parameters[n];
      const bool is_read = stage->parameter_access[n] != Access::out;
      parameters.push_back(is_read ? numbers_.read(parameter) : nullptr);
    }
    for (std::size_t n = 0; n < stage->parameters.size(); ++n) {
      const Access access = stage->parameter_access[n];
      if (access != Access::in) {
        const auto before = parameters[n];
        parameters[n] = numbers_.write(stage->parameters[n]);
        if (before) add_copy(before, parameters[n]);
        add_result(stage->parameters[n], parameters[n],
                   stage->as_sweep ? "" : "which a function computes that takes no `auto`");
      }
      arguments.push_back({StageArgument::Kind::value, access, nullptr, nullptr, parameters[n]});
    }
    const bool is_alike = parameters == stage->parameters;
    if (!is_alike && !stage->as_sweep) {
      refuse(*stage, "its function takes no `auto`, and a step computes its numbers several times",
             "write a function of `auto`");
    }
    step_.sweeps.push_back(
        {is_alike ? stage : with_parameters(*stage, std::move(parameters)), std::move(arguments)});
  }

  void add_copy(const std::shared_ptr<ParameterRecord>& from,
                const std::shared_ptr<ParameterRecord>& to) {
    step_.sweeps.push_back({copying_stage(from, to),
                            {{StageArgument::Kind::value, Access::in, nullptr, nullptr, from},
                             {StageArgument::Kind::value, Access::out, nullptr, nullptr, to}}});
  }

  void add_follow(const std::shared_ptr<Stage>& stage) {
    const auto& parameter = stage->parameters.front();
    const bool is_late = std::any_of(step_.sweeps.begin(), step_.sweeps.end(),
                                     [](const auto& one) { return !one.computes_numbers(); });
    if (numbers_.write(parameter) != parameter || is_late) {
      refuse(*stage, "parameter '" + parameter->name + "' follows the time within the step",
             "have it follow the time once, before all sweeps");
    }
    step_.follows.push_back(stage);
  }

  /// `why`: there are no derivatives of it.
  void add_result(const std::shared_ptr<ParameterRecord>& parameter,
                  const std::shared_ptr<ParameterRecord>& value, const std::string& why) {
    step_.results.insert(parameter.get());
    if (!why.empty()) step_.without_derivative[value.get()] = why;
  }

  void add_sweep(const std::shared_ptr<Stage>& stage) {
    check_sweep(*stage);
    if (step_.sweeps.size() == most_sweeps) {
      refuse(*stage, "the step has more than " + std::to_string(most_sweeps) + " sweeps",
             "make a step of one round");
    }
    StepSweep sweep{stage, at_present(stage->arguments),
                    stage->mask ? step_.at_end(stage->mask) : nullptr};
    if (stage->kind == Kind::reduce) {
      const auto value = numbers_.write(stage->target);
      add_result(
          stage->target, value,
          stage->reduction == Reduction::sum ? "" : "the largest or smallest of some values");
      if (value != stage->target) {
        auto summing = std::make_shared<Stage>(*stage);
        summing->target = value;
        sweep.stage = std::move(summing);
      }
    }
    step_.sweeps.push_back(std::move(sweep));
  }

  void add_sample(const Stage& stage) {
    StepSample sample{stage.samples, step_.sweeps.size()};
    for (const auto& field : stage.samples->fields()) sample.fields.push_back(step_.at_end(field));
    step_.samples.push_back(std::move(sample));
  }

  std::vector<StageArgument> at_present(std::vector<StageArgument> arguments) {
    for (StageArgument& argument : arguments) {
      if (argument.field) argument.field = step_.at_end(argument.field);
      if (argument.parameter) argument.parameter = numbers_.read(argument.parameter);
    }
    return arguments;
  }

  void rename(const Stage& stage) {
    std::vector<FieldPointer> stood_for;
    for (const auto& name : stage.names) stood_for.push_back(step_.at_end(name));
    for (std::size_t n = 0; n < stood_for.size(); ++n) {
      step_.renamed[stage.names[n]] = stood_for[(n + 1) % stood_for.size()];
    }
    grid_ = stage.grid;
  }

  void add_group(const StageGroup& of, std::vector<std::shared_ptr<Stage>> stages) {
    auto group = std::make_shared<StepGroup>();
    auto named = std::make_shared<Stage>();
    named->name = of.solve ? of.solve->name : stages.front()->name;
    StepSweep sweep{named, {}};
    if (of.solve) {
      add_solve(*of.solve, *group, sweep);
    } else {
      add_preparation(*of.preparation, sweep);
    }
    const auto append = [&](const std::vector<std::shared_ptr<Stage>>& more) {
      group->stages.insert(group->stages.end(), more.begin(), more.end());
    };
    append(renaming(grid_, step_.renamed));
    const std::vector<std::shared_ptr<Stage>> restored = set_numbers(*group);
    append(stages);
    append(restored);
    append(renaming(grid_, step_.renamed, true));
    sweep.group = std::move(group);
    step_.sweeps.push_back(std::move(sweep));
  }

  /// The stages name parameters as the program does: these get the values of the present, and what
  /// they held afterwards.
  static std::vector<std::shared_ptr<Stage>> set_numbers(StepGroup& group) {
    std::vector<std::shared_ptr<Stage>> restored;
    for (const auto& [parameter, value] : group.numbers) {
      if (parameter == value) continue;
      const auto held = std::make_shared<ParameterRecord>(*parameter);
      group.stages.push_back(copying_stage(parameter, held));
      group.stages.push_back(copying_stage(value, parameter));
      restored.push_back(copying_stage(held, parameter));
    }
    return restored;
  }

  void add_solve(const Solve& solve, StepGroup& group, StepSweep& sweep) {
    group.solve = std::make_shared<const Solve>(solve);
    group.unknown = step_.at_end(solve.unknown);
    group.known = step_.at_end(solve.known);
    const auto grid = grid_of(*solve.equations.front());
    const auto add = [&](Access access, const FieldPointer& field) {
      const bool is_known =
          std::any_of(sweep.arguments.begin(), sweep.arguments.end(),
                      [&](const StageArgument& one) { return one.field == field; });
      if (is_known) return;
      sweep.arguments.push_back({StageArgument::Kind::field, access, field, grid, nullptr});
    };
    const auto add_number = [&](const std::shared_ptr<ParameterRecord>& number) {
      const auto value = numbers_.read(number);
      group.numbers.emplace_back(number, value);
      sweep.arguments.push_back({StageArgument::Kind::value, Access::in, nullptr, nullptr, value});
    };
    add(Access::inout, group.unknown);
    add(solve.overwrites_known ? Access::inout : Access::in, group.known);
    for (const auto& equation : solve.equations) {
      check_sweep(*equation);
      group.equations.push_back({equation, at_present(equation->arguments)});
      for (const StageArgument& one : equation->arguments) {
        if (one.field) add(Access::in, step_.at_end(one.field));
        if (one.parameter) add_number(one.parameter);
      }
    }
    for (const auto& field : solve.also_read) {
      add(Access::in, step_.at_end(field));
      group.also_read.push_back(
          {StageArgument::Kind::field, Access::in, step_.at_end(field), grid, nullptr});
    }
    for (const auto& number : solve.numbers) add_number(number);
  }

  void add_preparation(const SolvePreparation& of, StepSweep& sweep) {
    for (const auto& field : of.read) {
      sweep.arguments.push_back(
          {StageArgument::Kind::field, Access::in, step_.at_end(field), nullptr, nullptr});
    }
    for (const auto& field : of.written) {
      sweep.arguments.push_back({StageArgument::Kind::field, Access::out, field, nullptr, nullptr});
    }
    for (const auto& number : of.numbers) {
      if (numbers_.write(number) != number) {
        refuse(*sweep.stage, "the step prepares a solve several times",
               "prepare it once, before it solves");
      }
      add_result(number, number, "");
      sweep.arguments.push_back(
          {StageArgument::Kind::value, Access::out, nullptr, nullptr, number});
    }
  }

  /// Scalar stages whose numbers no sweep reads, of this step or the next, are left out: what they
  /// compute are results.
  void leave_results_out() {
    std::set<const ParameterRecord*> read;
    for (const auto& [number, last] : step_.handed) read.insert(last.get());
    std::vector<bool> is_needed(step_.sweeps.size());
    for (std::size_t n = step_.sweeps.size(); n-- > 0;) {
      const StepSweep& sweep = step_.sweeps[n];
      is_needed[n] = !sweep.computes_numbers() || writes_one_of(sweep, read);
      for (const StageArgument& argument : sweep.arguments) {
        if (!is_needed[n] || !argument.parameter || argument.access == Access::out) continue;
        read.insert(argument.parameter.get());
      }
    }
    std::vector<StepSweep> needed;
    std::vector<std::size_t> needed_before{0};
    for (std::size_t n = 0; n < step_.sweeps.size(); ++n) {
      if (is_needed[n]) {
        for (const ParameterRecord* number : numbers_written_by(step_.sweeps[n])) {
          if (read.count(number) > 0) step_.writers[number].push_back(needed.size());
        }
        needed.push_back(std::move(step_.sweeps[n]));
      }
      needed_before.push_back(needed.size());
    }
    for (StepSample& sample : step_.samples)
      sample.sweeps_before = needed_before[sample.sweeps_before];
    step_.sweeps = std::move(needed);
  }
  static std::vector<const ParameterRecord*> numbers_written_by(const StepSweep& sweep) {
    std::vector<const ParameterRecord*> all;
    if (sweep.stage->target) all.push_back(sweep.stage->target.get());
    for (const StageArgument& one : sweep.arguments) {
      if (one.parameter && one.access != Access::in) all.push_back(one.parameter.get());
    }
    return all;
  }
  static bool writes_one_of(const StepSweep& compute,
                            const std::set<const ParameterRecord*>& read) {
    const auto written = numbers_written_by(compute);
    return std::any_of(written.begin(), written.end(),
                       [&](const auto* one) { return read.count(one) > 0; });
  }

  StepRecord step_;
  StepNumbers numbers_;
  std::shared_ptr<GridState> grid_;  ///< of fields whose names were exchanged
};

}  // namespace

StepRecord record_of(const Program& program) { return StepReader().read(program); }

}  // namespace goban::detail
