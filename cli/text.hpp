#pragma once
// Numbers as commands print them.

#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban::cli {

/// 3.14159 with 2 digits is "3.14".
std::string decimals(double value, int digits);

/// The value in the middle, in order of size; 0 if there are no values.
double median(std::vector<double> values);

/// "48 KiB", "23.4 GiB".
std::string bytes_text(Index bytes);

}  // namespace goban::cli
