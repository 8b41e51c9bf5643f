#pragma once
// The ground below a grid, and what it is like, from files.

#include <array>
#include <string>
#include <vector>

#include "goban/io/case/file.hpp"

namespace goban {

/// Numbers for the columns of the case's grid, x fastest, from the file of a key: a table (.csv,
/// .txt) whose rows go from south to north, or what open_image reads. Its columns cover the grid:
/// where there are a whole number of them for one of the grid, their mean counts, else they are
/// interpolated. `unit` is that of headings that name one. Errors naming the key or the file:
/// another shape than the grid's, numbers not between `low` and `high`.
std::vector<double> read_columns(const Case& values, const std::string& key,
                                 const std::array<bool, 2>& wraps, const std::string& unit,
                                 double low, double high);

/// Heights of the ground likewise, m. Then the ground is smoothed (each column becomes the mean
/// with its neighbours, weights 1, 2, 1 along x and y) until neighbours differ by `steepest` m at
/// most, of which the case is warned. Errors, too: heights below 0, ground that stays too steep.
std::vector<double> read_ground(const Case& values, const std::string& key, double steepest,
                                const std::array<bool, 2>& wraps);

}  // namespace goban
