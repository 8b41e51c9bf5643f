#pragma once
// Ghost cells at physical boundaries.

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/transfer/host_rules.hpp"

namespace goban::cuda {

/// Queues the fills, one launch for those that do not depend on each other.
void run_fills(const std::vector<FillTask>& tasks, HostRules& rules, CUstream stream);

/// Adds what the kernels of such fills are compiled from.
void add_fill_sources(const std::vector<FillTask>& tasks, std::vector<KernelSource>& sources);

}  // namespace goban::cuda
