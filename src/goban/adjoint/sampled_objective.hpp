#pragma once
// Objectives that depend on what a step samples, at every time: traces of receivers, for example.

#include <functional>
#include <memory>
#include <vector>

#include "goban/program/samples.hpp"
#include "goban/program/stage.hpp"

namespace goban {

/// Returns a number that depends on all records of a run, in the order in which they were taken,
/// and writes its derivatives: for each record those with respect to all of its values, part by
/// part, x fastest, component slowest, without gaps between parts. They are 0 when it is called.
using SampledObjective = std::function<double(const std::vector<Samples::Record>& records,
                                              std::vector<std::vector<double>>& derivatives)>;

namespace detail {

/// The derivatives of such an objective, and stages that add them to adjoint fields.
class SampleDerivatives : public std::enable_shared_from_this<SampleDerivatives> {
 public:
  SampleDerivatives(std::shared_ptr<Samples> samples, SampledObjective objective)
      : samples_(std::move(samples)), objective_(std::move(objective)) {}

  const Samples& samples() const { return *samples_; }
  /// Returns the value of the objective of these records, of each step one. Error
  /// (ExitCode::usage): it makes another number of derivatives than there are values.
  double evaluate(const std::vector<Samples::Record>& records);
  /// The stages add what belongs to this step from now on.
  void go_to(Index step) { step_ = step; }
  /// A stage that adds the derivatives of a step's record with respect to the values of field
  /// number `field` to the adjoint of that.
  std::shared_ptr<Stage> adding_stage(std::size_t field, const StageArgument& adjoint);

 private:
  void add(std::size_t field, const StageArgument& adjoint) const;
  std::size_t values() const;

  std::shared_ptr<Samples> samples_;
  SampledObjective objective_;
  std::vector<std::vector<double>> derivatives_;
  Index step_ = 0;
};

}  // namespace detail
}  // namespace goban
