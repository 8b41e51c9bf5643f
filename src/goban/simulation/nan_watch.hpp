#pragma once
// A run that blew up is stopped before it spoils what is good.

#include <vector>

#include "goban/simulation/engines.hpp"

namespace goban {

/// Throws Error (diverged) that names field, step and cell if any live field holds NaN or infinity.
void check_finite(const std::vector<LiveField>& fields, Index step);

}  // namespace goban
