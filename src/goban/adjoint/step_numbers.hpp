#pragma once
// Numbers that a step computes: each value that a parameter has in a step is a parameter of its
// own, so that nothing is overwritten which an adjoint needs.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban::detail {

class StepNumbers {
 public:
  using Number = std::shared_ptr<ParameterRecord>;

  /// What holds the value that a parameter has at present, for a stage that reads it.
  Number read(const Number& parameter);
  /// What holds the value that a parameter is about to get: itself, if nothing has read or written
  /// it in this step.
  Number write(const Number& parameter);
  /// Parameters that the step reads before it writes them, and what holds their last value: that of
  /// the next step.
  const std::vector<std::pair<Number, Number>>& handed() const { return handed_; }

 private:
  std::map<const ParameterRecord*, Number> present_;
  std::set<const ParameterRecord*> read_at_begin_;
  std::vector<std::pair<Number, Number>> handed_;
};

/// A scalar stage that makes the value of one parameter that of another.
std::shared_ptr<Stage> copying_stage(const std::shared_ptr<ParameterRecord>& from,
                                     const std::shared_ptr<ParameterRecord>& to);
/// The same stage with other parameters; it has been recorded.
std::shared_ptr<Stage> with_parameters(const Stage& compute,
                                       std::vector<std::shared_ptr<ParameterRecord>> parameters);

}  // namespace goban::detail
