#pragma once
// What the formulas of the model leave: measured sweeps, and what they say of others like them.

#include <vector>

namespace goban {

/// A sweep as far as its time depends on it, or the steps of a pass together.
struct SweepFeatures {
  double cells = 0;
  double working_set = 0;  ///< bytes that the device sweeps over in a step
  double reads = 0;        ///< values of cells around that an update reads
  double moves = 0;        ///< values of the cell itself, read or written
  double value_bytes = 0;  ///< bytes of the widest value
  double share = 0;        ///< share of operations and reads in the seconds of the formulas
  double steps = 1;        ///< steps at a time; more than one: a pass
};

/// A sweep that has been measured.
struct Deviation {
  SweepFeatures of;
  double ratio = 1;  ///< seconds measured to those of the formulas
};

/// The factor by which formulas are to be corrected: the mean of measured deviations, in
/// logarithms, each weighted by how much alike the sweeps are (Nadaraya and Watson's regression
/// with Gaussian weights), and 1 where none is like it. Sweeps are compared with sweeps, passes
/// with passes.
double correction(const std::vector<Deviation>& measured, const SweepFeatures& of);

}  // namespace goban
