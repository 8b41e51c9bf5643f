#pragma once
// Programs that a machine is measured with, run as any other.

#include <filesystem>

#include "goban/grid/grid.hpp"

namespace goban {

/// What measures: grids of whom, and for how long.
struct SweepMeter {
  GridContext& context;
  double least_seconds = 0.01;  ///< of a turn
  int turns = 7;
};

/// A step over all cells: operations and bytes of one update, seconds of all.
struct SweepOfMany {
  double operations = 0, bytes = 0, seconds = 0;
};

// Of the fastest of several turns, each of many steps; fields are in single precision unless it
// says otherwise.

/// next = u.
double seconds_of_copy(const SweepMeter& meter, Index3 cells);
/// The seven-point formula of heat conduction.
double seconds_of_heat(const SweepMeter& meter, Index3 cells);
double operations_of_heat();
/// The sum over a field, known to the host.
double seconds_of_sum(const SweepMeter& meter, Index3 cells);
/// Four cells far along every axis.
SweepOfMany star_in_single_precision(const SweepMeter& meter, Index3 cells);
SweepOfMany star_in_double_precision(const SweepMeter& meter, Index3 cells);
/// The sum of a cell's 26 neighbours, in bytes.
SweepOfMany count_of_integers(const SweepMeter& meter, Index3 cells);
/// Seconds a step of the seven-point formula, where the settings have passes of four.
SweepOfMany passes_of_four(const SweepMeter& meter, Index3 cells);

/// To a file that is durable then.
double seconds_to_write(const std::filesystem::path& path, std::size_t bytes);

}  // namespace goban
