#pragma once
// Rectangular pieces from memory to memory, of one device or between devices that reach each other.

#include <cuda_runtime.h>

#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cuda {

void copy_pieces(const std::vector<CopyTask>& tasks, cudaStream_t stream);

}  // namespace goban::cuda
