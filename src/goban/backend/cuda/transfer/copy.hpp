#pragma once
// Copies boxes within a device or between devices that access each other's memory.

#include <cstdint>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// What kind of work a queue has got before a copy.
enum class Before : std::uint8_t { kernels, host_work };

/// Queues copies. After work of the host they cannot be dependent launches.
void copy_pieces(const std::vector<CopyTask>& tasks, CUstream stream,
                 Before before = Before::kernels);

/// Adds the sources of the kernels of such copies.
void add_copy_sources(const std::vector<CopyTask>& tasks, std::vector<KernelSource>& sources);

}  // namespace goban::cuda
