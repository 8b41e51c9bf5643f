#pragma once
// What goban predict prints beneath the table: CPUs beside GPUs, runs that were measured.

#include <ostream>
#include <string>
#include <vector>

#include "goban/performance/predict/scaling.hpp"

namespace goban::cli {

/// What so many threads of a named machine of CPUs take over from the GPUs beside them. Errors
/// (ExitCode::usage): it is one of GPUs, or none are beside it.
void print_beside(std::ostream& out, const std::string& named, int threads,
                  const ScalingQuestion& question, const std::vector<ScalingPoint>& points);

/// What a summary says of a run.
struct MeasuredRun {
  std::string file;
  Index devices = 1;
  Index3 cells{};
  double rate = 0;
};
/// Reads summary.json of a run. Error (ExitCode::usage): the file is none.
MeasuredRun measured_run(const std::string& file);
void print_measured(std::ostream& out, const std::vector<MeasuredRun>& runs,
                    const std::vector<ScalingPoint>& points);

}  // namespace goban::cli
