#pragma once
// The rates of a machine, measured by what goban itself computes on it.

#include <string>
#include <vector>

#include "goban/grid/grid.hpp"
#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// One number of a calibration and how far its measurements lie from it.
struct CalibrationNote {
  std::string what;
  double value = 0;
  std::string unit;
  double error = 0;  ///< relative; root of the mean of squares
};

struct Calibration {
  MachineRates machine;
  std::vector<CalibrationNote> notes;
  double spread = 0;  ///< how far medians of turns were from the fastest, in the median
  double others = 0;  ///< processors that other processes kept busy meanwhile
};

struct CalibrationEffort {
  double least_seconds = 0.01;  ///< how long a turn takes at least
  double most_bytes = 1e9;      ///< bytes of the largest grid
  int turns = 7;                ///< turns of which the fastest counts
  Index first_steps = 40;       ///< first steps of a measurement, which do not count
  bool has_deviations = true;   ///< how far sweeps of many kinds are from the model is measured
};

/// What computes grids; the settings of all leave nothing to be tried.
struct CalibrationContexts {
  GridContext& single;   ///< on one device
  GridContext& blocked;  ///< on one device, by passes of four steps
  GridContext& all;      ///< on all devices of the process
};

/// Measures what computes these grids. `known` has what cannot be measured here: links to other
/// nodes, prices. `folder`: files are written there; empty: none are. Less than a minute.
Calibration calibrate(const CalibrationContexts& contexts, const MachineRates& known,
                      const std::string& folder, const CalibrationEffort& effort = {});

/// Messages between ranks; on the first, which has a calibration. Collective.
void calibrate_ranks(Calibration& calibration, Communicator& ranks);

}  // namespace goban
