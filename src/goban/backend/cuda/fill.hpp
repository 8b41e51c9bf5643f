#pragma once
// Fills ghost cells at physical boundaries on the device.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/transfer/host_rules.hpp"

namespace goban::cuda {

/// Queues the fills. Those that do not depend on each other are one launch.
void run_fills(const std::vector<FillTask>& tasks, HostRules& rules, CUstream stream);

/// Adds the sources of the kernels of such fills.
void add_fill_sources(const std::vector<FillTask>& tasks, std::vector<KernelSource>& sources);

}  // namespace goban::cuda
