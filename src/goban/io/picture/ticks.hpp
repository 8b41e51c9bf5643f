#pragma once
// Where the marks of an axis stand and what is written at them.

#include <string>
#include <utility>
#include <vector>

namespace goban {

struct Tick {
  double value = 0;
  std::string label;  ///< empty: a mark between labelled ones
};

/// Marks in increasing order. The labels are those of (value - offset) / factor, both as text:
/// "293.15" (empty: 0) and "10^-3" (empty: 1).
struct Ticks {
  std::vector<Tick> marks;
  std::string factor;
  std::string offset;
  std::string unit = {};  ///< with a prefix in place of the factor; empty: as the values have it

  /// What is written along the axis: "temperature - 293.15 [10^-3 K]".
  std::string title(const std::string& name, const std::string& unit) const;
};

/// Multiples of 1, 2 or 5 times a power of ten within [low, high], about `wanted` of them, never
/// more than twice as many. `low < high`, both finite. A unit that takes prefixes gets the one that
/// fits: 0 to 16 mm, not to 0.016 m.
Ticks linear_ticks(double low, double high, int wanted, const std::string& unit = {});

/// Powers of ten within [low, high], with marks at 2 ... 9 between them where there is room; under
/// two decades also 2 and 5 are labelled. 0 < low < high.
Ticks log_ticks(double low, double high, int wanted);

/// The interval itself; or, if it is empty or too narrow for its numbers to differ, one around it.
std::pair<double, double> widened(double low, double high);

}  // namespace goban
