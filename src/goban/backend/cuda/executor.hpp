#pragma once
// Makes executors of NVIDIA GPUs, one for each, with memory of its own, a queue for sweeps and one
// for halos.

#include <memory>
#include <string>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/gpu_backend.hpp"

namespace goban {

namespace cuda {

/// Returns the backend that the module provides.
GpuBackend& backend();

/// Returns the number of GPUs of this machine; 0 without a driver.
int device_count();
std::vector<Gpu> devices();

/// See GpuBackend::make_executors().
std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                      const HostParallel& parallel,
                                                      const std::string& launches);

}  // namespace cuda
}  // namespace goban
