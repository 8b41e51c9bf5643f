#pragma once
// Reads lists of logical cores as the system writes them.

#include <string>
#include <vector>

namespace goban {

/// Converts "0-3,8,10-11" to {0, 1, 2, 3, 8, 10, 11}. Anything that is no number ends the list.
std::vector<int> parse_core_list(const std::string& text);

}  // namespace goban
