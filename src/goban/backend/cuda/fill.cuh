#pragma once
// Ghost cells at physical boundaries.

#include <cuda_runtime.h>

#include "goban/backend/api.hpp"

namespace goban::cuda {

/// Queues the fills, one launch for those that do not depend on each other; a rule of the user's
/// own runs on the host, after the queue's work is done.
void run_fills(const std::vector<FillTask>& tasks, cudaStream_t stream);

}  // namespace goban::cuda
