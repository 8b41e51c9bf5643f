#pragma once
// Measures the memory bandwidth of a device, which limits every sweep.

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// Returns the bytes per second of copies on the current device, the best of several; read and
/// written bytes both count. Returns 0 if there is not enough memory left.
double measure_copy(CUstream stream);

}  // namespace goban::cuda
