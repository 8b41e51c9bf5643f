#pragma once
// Programs that a machine is measured with, run as any other.

#include <filesystem>
#include <optional>

#include "goban/grid/grid.hpp"

namespace goban {

/// What measures: grids of whom, and for how long.
struct SweepMeter {
  GridContext& context;
  double least_seconds = 0.01;  ///< of a turn
  int turns = 7;
};

/// A step over all cells: operations, values of cells around and bytes of one update, seconds of
/// all.
struct SweepOfMany {
  double operations = 0, reads = 0, bytes = 0, seconds = 0;
};

// Of the fastest of several turns, each of many steps; fields are in single precision unless it
// says otherwise.

/// next = u.
double seconds_of_copy(const SweepMeter& meter, Index3 cells);
/// The seven-point formula of heat conduction.
SweepOfMany heat(const SweepMeter& meter, Index3 cells);
/// The same with halos to be filled on both sides along an axis, or none.
double seconds_with_mirrors(const SweepMeter& meter, Index3 cells, std::optional<Axis> axis);
/// The sum over a field, known to the host.
double seconds_of_sum(const SweepMeter& meter, Index3 cells);
/// Many operations on a single value.
SweepOfMany products_in_single_precision(const SweepMeter& meter, Index3 cells);
SweepOfMany products_in_double_precision(const SweepMeter& meter, Index3 cells);
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
