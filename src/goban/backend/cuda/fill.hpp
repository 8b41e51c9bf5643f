#pragma once
// Ghost cells at physical boundaries.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver.hpp"

namespace goban::cuda {

/// Queues the fills, one launch for those that do not depend on each other; a rule of the user's
/// own runs on the host, after the queue's work is done.
void run_fills(const std::vector<FillTask>& tasks, CUstream stream);

}  // namespace goban::cuda
