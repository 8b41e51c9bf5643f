#pragma once
// How fast a device moves memory: the ceiling of every sweep.

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// Bytes per second of copies on the current device, those read and those written counted; the best
/// of some. 0 where there is no memory left to copy.
double measure_copy(CUstream stream);

}  // namespace goban::cuda
