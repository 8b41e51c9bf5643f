#pragma once
// NVIDIA GPUs as executors, one each: own memory, a queue for sweeps and one for halos.

#include <memory>
#include <string>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/gpu_backend.hpp"

namespace goban {

namespace cuda {

/// What the module is asked for.
GpuBackend& backend();

/// GPUs of this machine; 0 without a driver.
int device_count();
std::vector<Gpu> devices();

/// See GpuBackend::make_executors().
std::vector<std::shared_ptr<Executor>> make_executors(const std::vector<int>& numbers,
                                                      const HostParallel& parallel,
                                                      const std::string& launches);

}  // namespace cuda
}  // namespace goban
