#pragma once
// Gradients: how a sum over the cells changes with what a program started from, by the adjoint of
// its steps, which is made of the records of its functors. See docs/gradients.md.

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/gradient_of.hpp"
#include "goban/adjoint/kept_states.hpp"
#include "goban/adjoint/kept_values.hpp"
#include "goban/adjoint/sampled_objective.hpp"
#include "goban/adjoint/step_record.hpp"
#include "goban/adjoint/sweep_adjoint.hpp"
#include "goban/adjoint/way_back.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/program/program.hpp"

namespace goban {

/// The gradient of the value of an objective after some steps.
///   Adjoint adjoint(step, misfit, {conductivity, u});
///   const double value = adjoint.evaluate(100);
///   const Field<double> derivative = adjoint.gradient(conductivity);
/// The objective is a program of one stage, a sum: misfit.reduce(F{}, in(u), ..., sum, into(p)), or
/// a function of what the step samples: Adjoint(step, traces, function, {conductivity}).
/// Gradients of fields are with respect to their values at the beginning of the first step, which
/// are constant during the run for fields that the step does not write.
/// Errors (ExitCode::usage): the step or the objective has something that has no derivative, see
/// docs/gradients.md; the objective depends on nothing of what is asked for.
class Adjoint {
 public:
  Adjoint(const Program& step, const Program& objective,
          const std::vector<GradientOf>& with_respect_to);
  /// `samples` are taken by stages of the step, step.sample(samples); the function gets the records
  /// of all steps of a run, and nobody else does.
  Adjoint(const Program& step, const std::shared_ptr<Samples>& samples, SampledObjective objective,
          const std::vector<GradientOf>& with_respect_to);

  /// Runs so many steps, evaluates the objective, and goes back step by step. Fields hold
  /// afterwards what they held before, except those that the step overwrites before it reads them.
  /// Where the adjoint of a step needs the values of that time, states are kept, as many as the
  /// budget allows: what it reads of the last steps stays where fields are, if there is room; whole
  /// states are there, in memory of the host or in files, and steps are computed again from these,
  /// by binomial checkpointing. The memory stays for the next evaluation.
  /// Collective. Errors: (ExitCode::usage) negative steps, no state; (resources) there is no room
  /// for one; (files).
  double evaluate(Index steps, const StateBudget& budget = {}, const StepClock& clock = {});

  /// Runs so many steps, calls the function, and has fields hold again what they held before, as
  /// evaluate() does. Collective. Errors (ExitCode::usage): negative steps.
  void look_ahead(Index steps, const std::function<void()>& look, const StepClock& clock = {});

  /// After evaluate().
  template <class T, int C, class L>
  Field<T, C, L> gradient(const Field<T, C, L>& of) const {
    return {fields_.grid(), gradient_of(of.record())};
  }
  template <class T>
  double gradient(const Parameter<T>& of) const {
    return gradient_of(of.record());
  }
  /// The same by records; of a field of type half the gradient is float.
  std::shared_ptr<FieldRecord> gradient_of(const std::shared_ptr<FieldRecord>& field) const;
  double gradient_of(const std::shared_ptr<ParameterRecord>& parameter) const;

  /// The adjoint of one step, whose values are kept: adjoint fields that hold derivatives with
  /// respect to the end of the step hold those with respect to its beginning afterwards.
  const Program& step_back() const { return back_; }
  /// Whether that needs the values of fields as they were before the step.
  bool needs_states() const { return needs_states_; }
  /// Steps that evaluate() has computed forwards in all, those that were computed again included.
  Index steps_computed() const { return steps_computed_; }

 private:
  using FieldPointer = detail::FieldPointer;
  using FieldSet = detail::FieldSet;

  void make(const std::vector<GradientOf>& with_respect_to);
  void find_given(const std::vector<GradientOf>& with_respect_to);
  void check_conditions(const detail::StepRecord& record) const;
  void make_adjoint_fields(const std::vector<FieldSet>& active);
  detail::AdjointNumbers adjoints_of(const std::set<std::shared_ptr<ParameterRecord>>& parameters);
  void make_back(const std::vector<FieldSet>& active, const detail::AdjointNumbers& numbers);
  const detail::StepSample* sample_of_objective() const;
  void require_dependence(const std::vector<FieldSet>& active) const;
  void add_renaming();
  void make_begin(const FieldSet& active);
  double& value();
  void evaluate_samples();
  void forget_samples() const;
  bool is_zero_between_steps(const FieldPointer& name) const;

  void start(Index steps, const StepClock& clock);
  std::vector<double> handed_numbers() const;
  void hand(Index step) const;
  static void prepare(std::unique_ptr<Engine>& engine, const Program& program);
  static void run(std::unique_ptr<Engine>& engine, const Program& program, Index steps,
                  StepClock clock);
  void run_forward(Index first, Index last);
  Index steps_to_keep(Index steps, const StateBudget& budget);
  Index states_beside(Index kept, const StateBudget& budget) const;
  double bytes_of_kept(Index steps) const;
  void keep_steps(Index steps);
  void record(Index first, Index last);
  void begin_back();
  void go_back(Index first, Index last);
  std::string start_key(Index steps) const;
  Index steps_left(Index steps, const StateBudget& budget, detail::KeptState& first);
  void save_place(Index left);
  void reverse_from_state(Index steps, const StateBudget& budget, Index states);
  void reverse(Index first, Index last, Index more, detail::KeptState& kept);

  Program step_program_, objective_program_;
  detail::StepRecord step_, objective_;
  FieldSet given_, active_between_;
  detail::AdjointNumbers numbers_;
  detail::AdjointFields fields_;
  Program back_{"step back"}, begin_{"objective"};
  bool needs_states_ = false, sees_time_ = false;
  std::vector<FieldPointer> state_fields_;  ///< what a step starts from
  std::unique_ptr<detail::KeptValues> kept_;
  Index steps_kept_ = 0;  ///< at most: there are so many spare fields
  std::unique_ptr<Engine> step_engine_, record_engine_, objective_engine_, begin_engine_,
      back_engine_;
  std::unique_ptr<detail::KeptStates> states_;
  std::unique_ptr<detail::WayBack> way_;  ///< null: the evaluation has no folder
  double save_every_ = 0;
  std::chrono::steady_clock::time_point saved_at_;
  std::vector<StepClock> clocks_;  ///< at the beginning of each step
  /// Numbers that steps hand on, at the beginning of those that a state or values are kept of.
  std::vector<std::vector<double>> handed_;
  bool has_begun_ = false;
  Index steps_computed_ = 0;
  std::shared_ptr<detail::SampleDerivatives> sampled_;  ///< null: the objective is a sum
  double sampled_value_ = 0;
  std::vector<std::size_t>
      records_before_;  ///< the records that each sample of the step held at its beginning
};

}  // namespace goban
