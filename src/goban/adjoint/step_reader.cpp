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
    leave_results_out();
    return std::move(step_);
  }

 private:
  using Kind = Stage::Kind;

  void add(const Program& program) {
    const auto& stages = program.stages();
    for (std::size_t n = 0; n < stages.size(); ++n) {
      const auto solve = stages[n]->solve;
      if (!solve) {
        add(stages[n]);
        continue;
      }
      const std::size_t behind = std::min(stages.size(), n + solve->stages);
      add_solve(solve);
      for (; n < behind; ++n) step_.items.push_back({stages[n]});
      --n;
    }
  }

  void add(const std::shared_ptr<Stage>& stage) {
    if (stage->kind != Kind::repeat) step_.items.push_back({stage});
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
    std::vector<StageArgument> arguments, overwritten;
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
        if (before) {
          add_copy(before, parameters[n]);
          overwritten.push_back({StageArgument::Kind::value, Access::in, nullptr, nullptr, before});
        }
        add_result(stage->parameters[n], parameters[n],
                   stage->as_sweep ? "" : "which a function computes that takes no `auto`");
      }
      arguments.push_back({StageArgument::Kind::value, access, nullptr, nullptr, parameters[n]});
    }
    arguments.insert(arguments.end(), overwritten.begin(), overwritten.end());
    const bool is_alike = parameters == stage->parameters || !stage->as_sweep;
    push({is_alike ? stage : with_parameters(*stage, std::move(parameters)), std::move(arguments)});
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
    push(std::move(sweep));
  }

  /// A sweep that is made of the last item.
  void push(StepSweep sweep) {
    step_.items.back().sweep = static_cast<int>(step_.sweeps.size());
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
  }

  /// Arguments of a solve: unknown, known, and all others.
  void add_solve(const std::shared_ptr<const Solve>& solve) {
    auto named = std::make_shared<Stage>();
    named->name = solve->name;
    auto& arguments = named->arguments;
    const auto add = [&](Access access, const FieldPointer& field) {
      const bool is_known = std::any_of(arguments.begin(), arguments.end(),
                                        [&](const auto& one) { return one.field == field; });
      if (!is_known) {
        arguments.push_back({StageArgument::Kind::field, access, field, nullptr, nullptr});
      }
    };
    if (solve->unknown) {
      add(Access::inout, solve->unknown);
      add(solve->overwrites_known ? Access::inout : Access::in, solve->known);
    }
    for (const auto& field : solve->writes) add(Access::out, field);
    for (const auto& field : solve->reads) add(Access::in, field);
    for (const auto& equation : solve->equations) {
      check_sweep(*equation);
      for (const StageArgument& one : equation->arguments) {
        if (one.field) add(Access::in, one.field);
      }
    }
    for (const auto& number : solve->numbers) {
      arguments.push_back({StageArgument::Kind::value, Access::in, nullptr, nullptr, number});
    }
    StepSweep sweep{named, at_present(arguments)};
    sweep.solve = solve;
    for (const auto& one : solve->equations) {
      sweep.equations.push_back({one, at_present(one->arguments)});
    }
    step_.items.push_back({named});
    push(std::move(sweep));
  }

  /// Scalar stages whose numbers no sweep reads, of this step or the next, are left out: what they
  /// compute are results.
  void leave_results_out() {
    std::set<const ParameterRecord*> read;
    std::vector<bool> is_needed = needed_for(read);
    for (std::size_t before = 0; before != read.size();) {
      before = read.size();
      for (const auto& [number, last] : step_.handed) {
        if (read.count(number.get()) > 0) read.insert(last.get());
      }
      is_needed = needed_for(read);
    }
    keep(is_needed, read);
  }

  /// Which sweeps are needed for those that compute fields and for these numbers; adds what they
  /// read.
  std::vector<bool> needed_for(std::set<const ParameterRecord*>& read) const {
    std::vector<bool> is_needed(step_.sweeps.size());
    for (std::size_t n = step_.sweeps.size(); n-- > 0;) {
      const StepSweep& sweep = step_.sweeps[n];
      is_needed[n] = !sweep.computes_numbers() || writes_one_of(sweep, read);
      for (const StageArgument& argument : sweep.arguments) {
        if (!is_needed[n] || !argument.parameter || argument.access == Access::out) continue;
        read.insert(argument.parameter.get());
      }
    }
    return is_needed;
  }

  void keep(const std::vector<bool>& is_needed, const std::set<const ParameterRecord*>& read) {
    std::vector<StepSweep> needed;
    std::vector<std::size_t> before{0};  // needed ones before each
    for (std::size_t n = 0; n < step_.sweeps.size(); ++n) {
      before.push_back(before.back() + (is_needed[n] ? 1 : 0));
      if (!is_needed[n]) continue;
      check_compute(step_.sweeps[n]);
      for (const ParameterRecord* number : numbers_written_by(step_.sweeps[n])) {
        if (read.count(number) > 0) step_.writers[number].push_back(needed.size());
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
  static void check_compute(const StepSweep& compute) {
    const Stage& stage = *compute.stage;
    if (!compute.computes_numbers() || stage.as_sweep) return;
    for (std::size_t n = 0; n < stage.parameters.size(); ++n) {
      if (stage.parameters[n] == compute.arguments[n].parameter) continue;
      refuse(stage, "its function takes no `auto`, and a step computes its numbers several times",
             "write a function of `auto`");
    }
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
};

}  // namespace

StepRecord record_of(const Program& program) { return StepReader().read(program); }

}  // namespace goban::detail
