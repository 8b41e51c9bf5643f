#pragma once
// Values within a step that its adjoint needs: which sweeps make them again, and what has to be
// kept of them before it is overwritten.

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "goban/adjoint/adjoint_fields.hpp"
#include "goban/adjoint/step_record.hpp"

namespace goban::detail {

class ForwardPart {
 public:
  ForwardPart(const StepRecord& step, AdjointFields& fields);

  /// Stages of the adjoint of sweep number `sweep`: they read fields as they were before it.
  void serve(std::size_t sweep, const std::vector<std::shared_ptr<Stage>>& stages);
  /// The same of stages that cannot be given copies: the step does not write these fields after the
  /// sweep. Error (ExitCode::usage): it does.
  void serve_as_they_are(std::size_t sweep, const std::vector<StageArgument>& read);
  /// Stages of the adjoint write this field of the step.
  void overwrite(const FieldPointer& field) { overwritten_.insert(field); }
  /// Returns the sweeps that are to run before the adjoint, with copies in between. The stages
  /// above read these copies from now on.
  std::vector<std::shared_ptr<Stage>> make();
  /// Fields whose values at the beginning of the step are read.
  const FieldSet& read_at_begin() const { return read_at_begin_; }
  /// Whether the value of a number that no sweep before writes is read.
  bool reads(const ParameterRecord* number) const { return numbers_read_.count(number) > 0; }

 private:
  /// A field after so many of the sweeps that write it.
  using Version = std::pair<FieldPointer, int>;
  using Readers = std::map<int, std::vector<std::shared_ptr<Stage>>>;  ///< readers of each version

  int version_before(const FieldPointer& field, std::size_t sweep) const;
  void require_version(const Version& version);
  void require_number(const std::shared_ptr<ParameterRecord>& number);
  void require_inputs(std::size_t sweep);
  void hand_copies(const FieldPointer& field, int last_version,
                   std::vector<std::shared_ptr<Stage>>& stages);

  const StepRecord& step_;
  AdjointFields& fields_;
  FieldMap<std::vector<std::size_t>> writers_;  ///< sweeps that write it, in order
  FieldMap<Readers> readers_;
  std::set<std::size_t> needed_sweeps_;
  FieldSet read_at_begin_, overwritten_;
  std::set<const ParameterRecord*> numbers_read_;
};

}  // namespace goban::detail
