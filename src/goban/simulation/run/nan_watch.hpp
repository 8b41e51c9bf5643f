#pragma once
// A run that blew up is stopped before it spoils what is good.

#include <string>
#include <vector>

#include "goban/simulation/plan/engines.hpp"

namespace goban {

/// Throws Error (diverged) that names field, step and cell if any live field that changes holds NaN
/// or infinity. What stays as it is may mean something by it: the compliance of a fluid is
/// infinite.
void check_finite(const std::vector<LiveField>& fields, Index step, const std::string& advice);

}  // namespace goban
