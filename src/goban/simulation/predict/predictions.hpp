#pragma once
// What a run is predicted to take on numbers of devices, as a table.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "goban/performance/predict/scaling.hpp"
#include "goban/performance/predict/told_work.hpp"
#include "goban/simulation/files_written.hpp"

namespace goban {

struct PredictedRun {
  std::string name;
  std::vector<StraightRun> runs;  ///< runs of a step
  Index steps = 0;                ///< steps of the run; 0: nobody knows
  FilesWritten files;             ///< by these steps

  const GridState& grid() const { return *runs.front().grid->root; }
};

struct PredictionRequest {
  std::vector<Index> devices;
  bool every_plan = false;         ///< a row for every way to run a step, not the fastest alone
  std::optional<ToldWork> work{};  ///< if it is given, rates are also those of its operations
  std::string growth{"strong scaling"};
  /// The run on the grid that so many devices have; null: they share the one that there is. What it
  /// returns is used until it is called again.
  std::function<std::vector<StraightRun>(Index devices)> grown{};
};

struct Predictions {
  std::string title, text;               ///< title of pictures; all of it, in lines
  std::vector<ScalingPoint> best, rows;  ///< best of every number of devices; every row
};

/// A row for every number of devices, or why it cannot be; then what all steps of the run take, in
/// time, energy and money, with its files, of which every node writes its share. Error
/// (ExitCode::usage): none of the numbers can be.
Predictions predict(const PredictedRun& run, const MachineRates& machine,
                    const PredictionRequest& request);

/// "3.2 ms".
std::string step_time_text(double seconds);
/// "64x64x32".
std::string cells_text(Index3 cells);

}  // namespace goban
