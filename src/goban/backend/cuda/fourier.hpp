#pragma once
// Solves Poisson's equation by Fourier transforms on one GPU.

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/fourier_task.hpp"

namespace goban::cuda {

/// Queues a solution. The device must be the current one.
void solve_by_waves(const FourierTask& task, CUstream stream);

}  // namespace goban::cuda
