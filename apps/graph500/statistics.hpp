#pragma once
// What the official output tells of many searches.

#include <string>
#include <vector>

namespace goban::graph500 {

struct Statistics {
  double minimum = 0, first_quartile = 0, median = 0, third_quartile = 0, maximum = 0, mean = 0,
         deviation = 0;
};
/// Quartiles between two values are their mean; the deviation is that of a sample.
Statistics statistics_of(std::vector<double> values);

/// Traversed edges per second. Its mean is harmonic, the deviation that of this mean (Norris,
/// Annals of Mathematical Statistics 11 (1940) 445).
Statistics rates_of(const std::vector<double>& edges, const std::vector<double>& seconds);

/// One kernel's measurements, a value for each search key.
struct Measured {
  std::vector<double> seconds, validation;
};
struct OfficialFigures {
  int scale = 0, edge_factor = 0, processes = 1;
  double generation = 0, construction = 0;  ///< seconds
  std::vector<double> edges;                ///< edges of each search's component
  Measured search;
  Measured paths;  ///< measurements of kernel 3; empty: not run
};
/// The text that the reference implementation prints, line by line.
std::string official_output(const OfficialFigures& figures);

}  // namespace goban::graph500
