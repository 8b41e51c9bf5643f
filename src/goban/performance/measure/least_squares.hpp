#pragma once
// Numbers from measurements of their sums: how long operations, reads and moves take.

#include <array>
#include <vector>

namespace goban {

/// sum of counts x unknowns = target, as important as its weight.
struct LinearEquation {
  std::array<double, 3> counts{};
  double target = 0, weight = 0;
};

/// The unknowns, none of them negative, by coordinate descent, which for least squares with bounds
/// ends at the minimum.
std::array<double, 3> least_squares_above_zero(const std::vector<LinearEquation>& equations);

/// Seconds of an operation, of a value read around a cell, of one moved at it.
using InstructionSeconds = std::array<double, 3>;

/// An update: how many there are of each, seconds that its bytes take alone, seconds measured.
struct MeasuredInstructions {
  InstructionSeconds counts{};
  double bytes = 0, seconds = 0;
};

/// The seconds that fit all sweeps best, by least squares of relative errors, none of them
/// negative; where the `exponent`-th powers of seconds add up (DeviceRates::overlap_exponent). Of
/// CPUs moves take none.
InstructionSeconds fit(const std::vector<MeasuredInstructions>& sweeps, double exponent,
                       bool is_gpu);

}  // namespace goban
