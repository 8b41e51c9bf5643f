#pragma once
// Programs that a machine is measured with, run as any other.

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "goban/boundary/boundary.hpp"
#include "goban/grid/grid.hpp"
#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// The grids that sweeps are measured on, and for how long they are measured.
struct SweepMeter {
  GridContext& context;
  double least_seconds = 0.01;  ///< how long a turn takes at least
  int turns = 7;
  Index first_steps = 40;  ///< until nothing is compiled, tried and recorded any more
  /// Where the spread of every measurement goes: how far the median of its turns is from the
  /// fastest.
  std::vector<double>* spreads = nullptr;
  const MachineRates* machine = nullptr;  ///< steps are predicted by it; none: they are not
};

/// A step over all cells: operations, values of cells around, of the cell itself, and bytes of one
/// update, seconds of all.
struct SweepOfMany {
  double operations = 0, reads = 0, moves = 0, bytes = 0, seconds = 0;
  double predicted = 0;  ///< seconds; 0: nothing was asked for
  double halo = 0;       ///< seconds of these that halos take
  SweepFeatures features{};
};

// What the following functions return is the fastest of several turns, each of many steps, in
// single precision or double.

/// next = u, in single precision.
double seconds_of_copy(const SweepMeter& meter, Index3 cells);
/// The seven-point formula of heat conduction.
SweepOfMany heat(const SweepMeter& meter, Index3 cells, Arithmetic kind,
                 const BoundarySet& boundary);
/// Chains of 16 products and sums on a single value, or of 32.
std::array<SweepOfMany, 2> products(const SweepMeter& meter, Index3 cells, Arithmetic kind);
/// Four cells far along every axis.
SweepOfMany star(const SweepMeter& meter, Index3 cells, Arithmetic kind,
                 const BoundarySet& boundary);
/// The mean of 27 cells.
SweepOfMany mean_of_box(const SweepMeter& meter, Index3 cells, Arithmetic kind);
/// The sum of a cell's 26 neighbours, in bytes.
SweepOfMany count_of_integers(const SweepMeter& meter, Index3 cells, const BoundarySet& boundary);
/// Nineteen fields that move by a cell, each its own way.
SweepOfMany moving_fields(const SweepMeter& meter, Index3 cells);
/// A sweep of many kinds that other programs may have.
struct SweepOfKind {
  double bytes_per_cell = 0;  ///< bytes of its fields
  bool is_of_passes = false;  ///< passes of GPUs take it, too
  SweepOfMany (*measure)(const SweepMeter& meter, Index3 cells,
                         const BoundarySet& boundary) = nullptr;
};
std::vector<SweepOfKind> sweeps_of_many_kinds();

/// The sum over a field, known to the host.
double seconds_of_sum(const SweepMeter& meter, Index3 cells);
/// Steps of so many times a sweep and a loop of two, two runs of stages each; with a sum in the
/// first, known to the host.
enum class Sums : std::uint8_t { none, one };
double seconds_of_runs(const SweepMeter& meter, Index3 cells, int loops, Sums sums);
/// What a round of a loop does beside counting: the seven-point formula so many times (an even
/// number: a device repeats it alone), sums, and computations on single numbers.
struct Round {
  int sweeps = 2, sums = 1, scalars = 0;
};
/// A loop until so many rounds are counted.
double seconds_of_rounds(const SweepMeter& meter, Index3 cells, int rounds, Round what);
/// Sweeps, each after a sum that decides on the length of the time step, or that nothing is told
/// of.
enum class TimeStep : std::uint8_t { fixed, computed };
double seconds_of_time_steps(const SweepMeter& meter, Index3 cells, TimeStep length);

/// Seconds to write a file so that it is durable.
double seconds_to_write(const std::filesystem::path& path, std::size_t bytes);

}  // namespace goban
