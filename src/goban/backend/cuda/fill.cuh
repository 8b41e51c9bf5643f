#pragma once
// Ghost cells at physical boundaries.

#include <cuda_runtime.h>

#include "goban/backend/api.hpp"

namespace goban::cuda {

/// Queues the fill; a rule of the user's own runs on the host, after the queue's work is done.
void run_fill(const FillTask& task, cudaStream_t stream);

}  // namespace goban::cuda
