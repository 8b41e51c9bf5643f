#include "goban/adjoint/adjoint.hpp"

#include <algorithm>

#include "goban/adjoint/number_stages.hpp"
#include "goban/adjoint/solve_derivatives.hpp"
#include "goban/base/error.hpp"

namespace goban {
namespace {

using detail::FieldPointer;
using detail::FieldSet;
using detail::StepRecord;
using detail::StepSweep;

/// The grid of the objective, which is that of all.
std::shared_ptr<GridState> grid_of_objective(const Program& objective) {
  const auto& stages = objective.stages();
  require(stages.size() == 1 && stages.front()->kind == Stage::Kind::reduce &&
              stages.front()->reduction == Reduction::sum,
          "objective '" + objective.name() + "' is refused", "it is not one sum over the cells",
          "write one stage, reduce(functor, ..., sum, into(parameter))");
  return grid_of(*stages.front());
}

template <class T>
bool is_held_by(const BoundaryCondition& condition, const std::shared_ptr<ParameterRecord>& one) {
  const NumberHeld<Parameter<T>> number{Parameter<T>(one)};
  return condition.varying &&
         condition.varying->is_same_as(RuleOf<NumberHeld<Parameter<T>>, double>(number));
}

std::set<std::shared_ptr<ParameterRecord>> keys_of(const detail::AdjointNumbers& numbers) {
  std::set<std::shared_ptr<ParameterRecord>> keys;
  for (const auto& [parameter, gradient] : numbers) keys.insert(parameter);
  return keys;
}

bool reads(const StepRecord& record, const FieldPointer& field) {
  for (const StepSweep& sweep : record.sweeps) {
    for (const StageArgument& argument : sweep.arguments) {
      if (argument.field == field && argument.access != Access::out) return true;
    }
  }
  return false;
}

}  // namespace

Adjoint::Adjoint(const Program& step, const Program& objective,
                 const std::vector<GradientOf>& with_respect_to)
    : step_program_(step),
      objective_program_(objective),
      step_(detail::record_of(step)),
      objective_(detail::record_of(objective)),
      fields_(grid_of_objective(objective), detail::DerivativeKind::adjoint) {
  make(with_respect_to);
}

Adjoint::Adjoint(const Program& step, const std::shared_ptr<Samples>& samples,
                 SampledObjective objective, const std::vector<GradientOf>& with_respect_to)
    : step_program_(step),
      objective_program_("objective"),
      step_(detail::record_of(step)),
      fields_(samples->grid(), detail::DerivativeKind::adjoint),
      sampled_(std::make_shared<detail::SampleDerivatives>(samples, std::move(objective))) {
  require(sample_of_objective() != nullptr, "the gradient of samples is refused",
          "the step does not take them", "append step.sample(samples)");
  make(with_respect_to);
}

void Adjoint::make(const std::vector<GradientOf>& with_respect_to) {
  find_given(with_respect_to);
  check_conditions(step_);
  check_conditions(objective_);
  auto parameters = keys_of(numbers_);
  const std::vector<FieldSet> active = dependent_fields(step_, given_, parameters);
  active_between_ = active.front();
  require_dependence(active);
  make_adjoint_fields(active);
  make_back(active, adjoints_of(parameters));
  make_begin(active_between_);
  const FieldSet overwritten = step_.overwritten_first();
  for (const FieldPointer& field : step_.changed()) {
    if (overwritten.count(field) == 0) state_fields_.push_back(field);
  }
  states_ = std::make_unique<detail::KeptStates>(fields_, state_fields_);
  for (const StepSweep& sum : objective_.sweeps) {
    for (const StageArgument& argument : sum.arguments) {
      if (argument.field) argument.field->is_output = true;  // there when the last step is over
    }
  }
}

void Adjoint::find_given(const std::vector<GradientOf>& with_respect_to) {
  require(!with_respect_to.empty(), "a gradient of nothing is refused", "",
          "name fields or parameters");
  const FieldSet overwritten = step_.overwritten_first();
  for (const GradientOf& one : with_respect_to) {
    if (one.parameter) {
      for (const auto& follow : step_.follows) {
        require(follow->parameters.front() != one.parameter,
                "no derivatives with respect to '" + one.parameter->name + "'",
                "the step sets it to a function of the time");
      }
      require(step_.results.count(one.parameter.get()) == 0,
              "no derivatives with respect to '" + one.parameter->name + "'",
              "the step computes it");
      const Parameter<double> gradient("adjoint " + one.parameter->name);
      numbers_[one.parameter] = gradient.record();
      continue;
    }
    const std::string refused = "no derivatives with respect to '" + one.field->name + "'";
    require(detail::is_differentiable(*one.field), refused, "its values are whole numbers");
    require(overwritten.count(one.field) == 0, refused,
            "the step overwrites it before anything reads it");
    const bool is_of_grid =
        member_of(fields_.grid(), one.field->grid).get() == fields_.grid().get();
    const auto& known = fields_.grid()->root->fields;
    require(is_of_grid && std::find(known.begin(), known.end(), one.field) != known.end(), refused,
            "it lies on another grid than the objective");
    given_.insert(one.field);
  }
}

/// Adjoints of numbers that are given and, each 0 when a step back begins, of those of the step.
detail::AdjointNumbers Adjoint::adjoints_of(
    const std::set<std::shared_ptr<ParameterRecord>>& parameters) {
  detail::AdjointNumbers all = numbers_;
  for (const auto& parameter : parameters) {
    if (all.count(parameter) > 0) continue;
    const Parameter<double> adjoint("adjoint " + parameter->name);
    all[parameter] = adjoint.record();
    back_.compute([](auto& none) { none = 0; }, out(adjoint));
  }
  return all;
}

/// Conditions are constant: nothing is derived with respect to what they hold.
void Adjoint::check_conditions(const StepRecord& record) const {
  for (const StepSweep& sweep : record.sweeps) {
    for (const StageArgument& argument : sweep.arguments) {
      if (!argument.field) continue;
      for (const BoundarySet& component : argument.field->boundary) {
        for (const auto& axis : component.sides) {
          for (const BoundaryCondition& side : axis) {
            for (const auto& [parameter, gradient] : numbers_) {
              require(!is_held_by<double>(side, parameter) && !is_held_by<float>(side, parameter) &&
                          !is_held_by<int>(side, parameter),
                      "no derivatives with respect to '" + parameter->name + "'",
                      "it is a boundary condition of '" + argument.field->name + "'",
                      "derivatives are with respect to what functors read");
            }
          }
        }
      }
    }
  }
}

/// Names that are exchanged have adjoint fields that are exchanged, too.
void Adjoint::make_adjoint_fields(const std::vector<FieldSet>& active) {
  FieldSet all = given_;
  for (const FieldSet& some : active) all.insert(some.begin(), some.end());
  detail::add_renamed(step_, all);
  for (const FieldPointer& field : all) {
    FieldRecord& made = *fields_.of(field).field;
    made.is_output = given_.count(field) > 0 || !is_zero_between_steps(field);
  }
}

bool Adjoint::is_zero_between_steps(const FieldPointer& name) const {
  if (active_between_.count(name) == 0) return true;
  return step_.overwritten_first().count(name) > 0 && !reads(objective_, name);
}

void Adjoint::make_back(const std::vector<FieldSet>& active,
                        const detail::AdjointNumbers& numbers) {
  std::set<const FieldRecord*> zero;
  for (const auto& [name, adjoint] : fields_.all()) {
    if (is_zero_between_steps(name)) zero.insert(fields_.of(step_.at_end(name)).field.get());
  }
  detail::SweepAdjoint adjoint(fields_, numbers, std::move(zero));
  kept_ = std::make_unique<detail::KeptValues>(step_);
  std::vector<std::shared_ptr<Stage>> backward;
  const auto append = [&](const std::vector<std::shared_ptr<Stage>>& stages) {
    backward.insert(backward.end(), stages.begin(), stages.end());
  };
  const detail::StepSample* sample = sample_of_objective();
  const auto append_samples = [&](std::size_t sweeps_before) {
    if (!sample || sample->sweeps_before != sweeps_before) return;
    for (std::size_t n = 0; n < sample->fields.size(); ++n) {
      if (active[sweeps_before].count(sample->fields[n]) == 0) continue;
      const StageArgument field = fields_.of(sample->fields[n]);
      if (adjoint.is_zero(field.field.get())) append(adjoint.clear(field));
      append({sampled_->adding_stage(n, field)});
      append(adjoint.clear_held_faces(sample->fields[n]));
    }
  };
  append_samples(step_.sweeps.size());
  for (std::size_t n = step_.sweeps.size(); n-- > 0;) {
    const StepSweep& sweep = step_.sweeps[n];
    if (sweep.solve) {
      const detail::SolveAdjoint made = reverse_of_solve(sweep, active[n], fields_, adjoint);
      if (!made.solving.empty()) kept_->serve_solve(n);
      append(made.solving);
      kept_->serve(n + 1, made.adding, fields_);
      append(made.adding);
    } else {
      const auto stages = sweep.computes_numbers() ? reverse_of_compute(sweep, numbers)
                                                   : adjoint.reverse(sweep, active[n]);
      kept_->serve(n, stages, fields_);
      append(stages);
    }
    append_samples(n);
  }
  for (const auto& [name, field] : fields_.all()) {
    if (!is_zero_between_steps(name) && adjoint.is_zero(field.get())) {
      append(adjoint.clear(fields_.of(name)));
    }
  }
  for (const auto& follow : step_.follows) back_.add(follow);
  for (const auto& stage : kept_->place(fields_)) back_.add(stage);
  add_renaming();
  for (const auto& stage : backward) back_.add(stage);
  needs_states_ = kept_->reads_changed();
  sees_time_ = !step_.follows.empty() ||
               std::any_of(back_.stages().begin(), back_.stages().end(),
                           [](const auto& stage) { return stage->footprint.sees_step; });
}

/// An adjoint field goes from the name at the end of a step to what that was at its beginning.
void Adjoint::add_renaming() {
  detail::FieldMap<FieldPointer> name_of;
  for (const auto& [name, other] : step_.renamed) {
    if (name != other && fields_.knows(name)) name_of[other] = name;
  }
  while (!name_of.empty()) {
    auto stage = std::make_shared<Stage>();
    stage->kind = Stage::Kind::permute;
    stage->grid = fields_.grid();
    for (FieldPointer field = name_of.begin()->first; name_of.count(field) > 0;) {
      stage->names.push_back(fields_.of(field).field);
      const FieldPointer next = name_of.at(field);
      name_of.erase(field);
      field = next;
    }
    back_.add(std::move(stage));
  }
}

/// What the objective is a function of; null: it is a sum.
const detail::StepSample* Adjoint::sample_of_objective() const {
  for (const detail::StepSample& one : step_.samples) {
    if (sampled_ && one.samples.get() == &sampled_->samples()) return &one;
  }
  return nullptr;
}

void Adjoint::require_dependence(const std::vector<FieldSet>& active) const {
  bool depends = false;
  if (const detail::StepSample* sample = sample_of_objective()) {
    for (const FieldPointer& field : sample->fields) {
      depends = depends || active[sample->sweeps_before].count(field) > 0;
    }
  }
  for (const StepSweep& sum : objective_.sweeps) {
    for (const StageArgument& argument : sum.arguments) {
      require(!argument.parameter || step_.results.count(argument.parameter.get()) == 0,
              "the gradient of '" + objective_program_.name() + "' is refused",
              argument.parameter
                  ? "it reads parameter '" + argument.parameter->name + "', which the step computes"
                  : "",
              "write what depends on it into a field of the step");
      depends = depends ||
                (argument.parameter ? numbers_.count(argument.parameter) > 0
                                    : argument.field && active.front().count(argument.field) > 0);
    }
  }
  require(depends, "the gradient of '" + objective_program_.name() + "' is refused",
          "it depends on nothing that the gradient is asked for",
          "name a field or a parameter that the objective or the step reads");
}

void Adjoint::make_begin(const FieldSet& active) {
  std::set<const FieldRecord*> zero;
  for (const auto& [name, field] : fields_.all()) zero.insert(field.get());
  detail::SweepAdjoint adjoint(fields_, numbers_, std::move(zero));
  for (const StepSweep& sum : objective_.sweeps) {
    for (const auto& stage : adjoint.reverse_of_sum(sum, active, nullptr)) begin_.add(stage);
  }
  for (const auto& [name, field] : fields_.all()) {
    if (is_zero_between_steps(name) || !adjoint.is_zero(field.get())) continue;
    for (const auto& stage : adjoint.clear(fields_.of(name))) begin_.add(stage);
  }
}

std::shared_ptr<FieldRecord> Adjoint::gradient_of(const std::shared_ptr<FieldRecord>& field) const {
  require(given_.count(field) > 0, "there is no gradient of '" + field->name + "'",
          "it was not asked for", "name it where the adjoint is made");
  return fields_.all().at(field);
}

double Adjoint::gradient_of(const std::shared_ptr<ParameterRecord>& parameter) const {
  const auto found = numbers_.find(parameter);
  require(found != numbers_.end(), "there is no gradient of '" + parameter->name + "'",
          "it was not asked for", "name it where the adjoint is made");
  return found->second->value;
}

}  // namespace goban
