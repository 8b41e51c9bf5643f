#pragma once
// Three numbers from measurements of their sums.

#include <array>
#include <vector>

namespace goban {

/// sum of counts x unknowns = target, as important as its weight.
struct LinearEquation {
  std::array<double, 3> counts{};
  double target = 0, weight = 0;
};

/// None of them negative, by coordinate descent, which for least squares with bounds ends at the
/// minimum.
std::array<double, 3> least_squares_above_zero(const std::vector<LinearEquation>& equations);

}  // namespace goban
