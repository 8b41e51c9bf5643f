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
  /// Returns the sweeps that are to run before the adjoint, with copies in between. The stages
  /// above read these copies from now on.
  std::vector<std::shared_ptr<Stage>> make();
  /// Fields whose values at the beginning of the step are read.
  const FieldSet& read_at_begin() const { return read_at_begin_; }

 private:
  /// A field after so many of the sweeps that write it.
  using Version = std::pair<FieldPointer, int>;
  using Readers = std::map<int, std::vector<std::shared_ptr<Stage>>>;  ///< readers of each version

  int version_before(const FieldPointer& field, std::size_t sweep) const;
  void require_version(const Version& version);
  void require_number(const std::shared_ptr<ParameterRecord>& number);
  void require_inputs(std::size_t sweep);
  std::shared_ptr<Stage> copy_of(const FieldPointer& field, const FieldPointer& to) const;

  const StepRecord& step_;
  AdjointFields& fields_;
  FieldMap<std::vector<std::size_t>> writers_;  ///< sweeps that write it, in order
  FieldMap<Readers> readers_;
  std::set<std::size_t> needed_sweeps_;
  FieldSet read_at_begin_;
};

}  // namespace goban::detail
