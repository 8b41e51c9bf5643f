#pragma once
// What an update of a cell computes and reads, and how long that takes.

#include "goban/performance/model/machine_rates.hpp"
#include "goban/program/stage.hpp"

namespace goban {

/// What an update of a cell takes of a core or a multiprocessor; divisions and roots are ten
/// operations, mathematical functions twenty.
struct UpdateWork {
  double operations = 0;  ///< instructions on floating-point numbers: an fma is one
  double integers = 0;
  /// Values of cells around; on CPUs those along the row, which straddle lines, count twice.
  double reads = 0;
};
UpdateWork work_of_update(const Stage& stage, bool is_gpu);

/// Seconds of operations, integers among them, and of reads, of an update of a cell.
struct UpdateSeconds {
  double operations = 0, reads = 0;
};
UpdateSeconds seconds_per_update(const Stage& stage, const DeviceRates& device);

/// The kind of the values that the stage reads: floating-point numbers of the widest type, else
/// integers.
Arithmetic kind_of_reads(const Stage& stage);

}  // namespace goban
