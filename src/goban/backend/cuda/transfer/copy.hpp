#pragma once
// Rectangular pieces from memory to memory, of one device or between devices that reach each other.

#include <cstdint>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// What a queue has got before.
enum class Before : std::uint8_t { kernels, host_work };

/// Behind work of the host launches do not wait for their turn themselves.
void copy_pieces(const std::vector<CopyTask>& tasks, CUstream stream,
                 Before before = Before::kernels);

/// Adds what the kernels of such copies are compiled from.
void add_copy_sources(const std::vector<CopyTask>& tasks, std::vector<KernelSource>& sources);

}  // namespace goban::cuda
