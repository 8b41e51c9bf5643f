#pragma once
// Outputs that take values of some cells at every step: the step itself takes them, so that it need
// not end for it.

#include <memory>
#include <vector>

#include "goban/io/file/array_view.hpp"
#include "goban/program/program.hpp"
#include "goban/program/samples.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

class Sampling {
 public:
  /// Serves those outputs that are due at every step and take nothing but fields of the step, on
  /// one grid, that no derived program writes: `step` is told to sample what they take.
  Sampling(Program& step, const std::vector<Program>& derived,
           const std::vector<std::unique_ptr<SimulationOutput>>& outputs);

  /// The step takes its values.
  bool is_of(const SimulationOutput& output) const;
  /// The number of steps whose records take no more than some MiB of the host's memory; at least 1.
  Index most_steps() const;
  /// Samples of the steps since clear(); complete when an engine has run.
  const std::vector<Samples::Record>& records() const;
  void clear();

  /// What the output takes, part by part; valid until the next call. From a record, or from the
  /// fields as they are, which is collective.
  const std::vector<Array>& values(const SimulationOutput& output, const Samples::Record& record);
  const std::vector<Array>& values(const SimulationOutput& output);

 private:
  struct Sampled {
    const SimulationOutput* output = nullptr;
    std::size_t first_part = 0;
    std::vector<Array> values;
  };

  std::shared_ptr<Samples> samples_;  ///< null: there are none
  std::vector<Sampled> sampled_;
  std::vector<Array> read_;
};

}  // namespace goban
