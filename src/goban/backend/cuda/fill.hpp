#pragma once
// Ghost cells at physical boundaries.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver.hpp"
#include "goban/backend/cuda/host_rules.hpp"

namespace goban::cuda {

/// Queues the fills, one launch for those that do not depend on each other.
void run_fills(const std::vector<FillTask>& tasks, HostRules& rules, CUstream stream);

}  // namespace goban::cuda
