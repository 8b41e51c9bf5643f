#pragma once
// How long operations, reads and moves take, from sweeps that have more of one or the other.

#include <array>
#include <vector>

namespace goban {

/// Seconds of an operation, of a value read around a cell, of one moved at it.
using InstructionSeconds = std::array<double, 3>;

/// Of an update: how many there are of each, seconds that its bytes take alone, seconds measured.
struct MeasuredInstructions {
  InstructionSeconds counts{};
  double bytes = 0, seconds = 0;
};

/// That fit all sweeps best, by least squares of relative errors, none of them negative; where the
/// `exponent`-th powers of seconds add up (DeviceRates::overlap_exponent). Of CPUs moves take none.
InstructionSeconds fit(const std::vector<MeasuredInstructions>& sweeps, double exponent,
                       bool is_gpu);

}  // namespace goban
