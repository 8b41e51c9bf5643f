#pragma once
// Rectangular pieces from memory to memory, of one device or between devices that reach each other.

#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver.hpp"

namespace goban::cuda {

void copy_pieces(const std::vector<CopyTask>& tasks, CUstream stream);

}  // namespace goban::cuda
