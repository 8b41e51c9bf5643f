#pragma once
// Numbers as commands print them.

#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban::cli {

/// 3.14159 with 2 digits is "3.14".
std::string decimals(double value, int digits);

/// Of the values in order the middle one; 0 of none.
double median(std::vector<double> values);

/// "48 KiB", "23.4 GiB".
std::string bytes_text(Index bytes);

}  // namespace goban::cli
