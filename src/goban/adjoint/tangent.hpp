#pragma once
// Tangents: how what a program computes changes when what it started from does. See
// docs/gradients.md.

#include <memory>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/gradient_of.hpp"
#include "goban/adjoint/step_record.hpp"
#include "goban/program/program.hpp"

namespace goban {

/// A program that does a step and, beside each field that depends on what is given, computes its
/// change, to first order:
///   Tangent tangent(step, {u});
///   tangent.change(u).fill(...);            // at the beginning
///   Engine engine(tangent.step()); ...      // afterwards change(u) is that of the new u
/// Errors (ExitCode::usage): as of Adjoint, and more than what the step reads is asked for.
class Tangent {
 public:
  Tangent(const Program& step, const std::vector<GradientOf>& with_respect_to);

  const Program& step() const { return program_; }
  template <class T, int C, class L>
  Field<T, C, L> change(const Field<T, C, L>& of) const {
    return {fields_.grid(), change_of(of.record())};
  }
  /// The change of a parameter: 0 until it is set.
  template <class T>
  Parameter<T> change(const Parameter<T>& of) const {
    return Parameter<T>(change_of(of.record()));
  }
  /// The same by records; of a field of type half the change is float. Error (ExitCode::usage): it
  /// depends on nothing of what was given.
  std::shared_ptr<FieldRecord> change_of(const std::shared_ptr<FieldRecord>& field) const;
  std::shared_ptr<ParameterRecord> change_of(
      const std::shared_ptr<ParameterRecord>& parameter) const;

 private:
  bool changes(const StageArgument& argument, const detail::FieldSet& active) const;
  StageArgument change_of(const StageArgument& argument, const detail::StepSweep& sweep);
  void find_changes(const detail::StepRecord& record, const std::vector<detail::FieldSet>& active,
                    const std::set<std::shared_ptr<ParameterRecord>>& parameters);
  void add(const std::shared_ptr<Stage>& stage, const detail::StepSweep& record,
           const detail::FieldSet& active);
  void add_solve(const detail::StepSweep& solve, const detail::FieldSet& active);
  void add_columns(const detail::StepSweep& sweep, const detail::FieldSet& active);
  void add_changes(const detail::StepSweep& sweep, const detail::FieldSet& active);
  void add_renaming(const std::shared_ptr<Stage>& exchange);

  Program program_{"tangent"};
  detail::AdjointFields fields_;
  std::map<std::shared_ptr<ParameterRecord>, std::shared_ptr<ParameterRecord>> numbers_;
};

}  // namespace goban
