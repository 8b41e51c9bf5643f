#pragma once
// Values of a step that its adjoint reads: how they outlive what overwrites them, in this step or
// in later ones.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/step_record.hpp"

namespace goban::detail {

/// Nothing is copied that need not be. Where a sweep would overwrite such a value, its field
/// exchanges its name with a spare one, to which the sweep writes instead; after so many steps as
/// there are spares the oldest is written again. The adjoint of a step reads what the names at its
/// end stand for, or what the spares hold, and exchanges the names back: it leaves those of the
/// step's beginning.
class KeptValues {
 public:
  explicit KeptValues(const StepRecord& step);

  /// Stages of the adjoint of sweep number `sweep`: they read fields as they were before it.
  void serve(std::size_t sweep, const std::vector<std::shared_ptr<Stage>>& stages,
             const AdjointFields& fields);
  /// The same of stages of the adjoint of a solve, which name what they read and write as this
  /// does. Error (ExitCode::usage): the step overwrites, or names otherwise, what they read.
  void serve_solve(std::size_t sweep);
  /// Finds where values are, when all stages are served, which read them there from now on. Returns
  /// what is to run first: copies of what solves overwrite, and the sweeps that compute numbers
  /// again which these read.
  std::vector<std::shared_ptr<Stage>> place(AdjointFields& fields);

  /// Whether values are read that the step changes, of fields or of numbers that it hands to the
  /// next one.
  bool reads_changed() const { return reads_changed_ || reads_handed(); }
  bool reads_handed() const;
  /// Whether names that are exchanged back bring back what these fields held before.
  bool keeps(const std::vector<FieldPointer>& fields) const;
  /// Fields of which each step keeps one state.
  std::vector<FieldPointer> fields() const;
  /// The step, so that values of `steps` steps in a row are kept.
  Program recording(Index steps, AdjointFields& fields);
  /// Exchanges the names back, after the adjoint of a step of that recording.
  std::vector<std::shared_ptr<Stage>> undoing(const Program& recording) const;

 private:
  /// A field, by its name at the beginning of the step, and a sweep that overwrites what is kept.
  struct Overwriting {
    std::size_t sweep;
    FieldPointer field;
    bool operator<(const Overwriting& other) const {
      return std::pair(sweep, field->id) < std::pair(other.sweep, other.field->id);
    }
  };
  struct Served {
    std::shared_ptr<Stage> stage;
    std::size_t sweep;
  };
  class Recording;

  std::size_t version_before(const FieldPointer& field, std::size_t sweep) const;
  void require_number(const std::shared_ptr<ParameterRecord>& number);
  void require_as_it_is(const StepSweep& solve, std::size_t argument, std::size_t behind);
  FieldPointer place_of(const FieldPointer& field, std::size_t version, AdjointFields& fields);
  FieldPointer keep(const Overwriting& overwriting, AdjointFields& fields);
  std::optional<Overwriting> overwriting_of(FieldPointer name) const;

  StepRecord step_;
  FieldSet changed_;
  FieldMap<std::vector<std::size_t>> writers_;  ///< sweeps that write it, in order
  FieldMap<FieldPointer> name_at_end_;          ///< inverse of StepRecord::at_end
  std::vector<Served> served_;
  std::set<std::size_t> numbers_;                  ///< sweeps that compute what is read
  std::set<const ParameterRecord*> numbers_read_;  ///< those that no sweep writes before
  FieldSet read_as_they_are_, overwritten_;        ///< by the adjoints of solves
  std::map<Overwriting, std::vector<FieldPointer>> spares_;
  bool reads_changed_ = false;
};

}  // namespace goban::detail
