#pragma once
// Looks at all values of a field on the device that holds them.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver.hpp"

namespace goban::cuda {

/// `result` is a number in the device's memory. Both return when they know.
bool is_finite(const DeviceCells& cells, unsigned long long* result, CUstream stream);
std::uint64_t checksum(const DeviceCells& cells, unsigned long long* result, CUstream stream);

}  // namespace goban::cuda
