#pragma once
// Tests compute on GPUs, too, where there are some.

#include <algorithm>
#include <numeric>
#include <vector>

#include "goban/backend/gpu_backend.hpp"

namespace goban::test {

inline int gpu_count() {
  static const int count = [] {
    GpuBackend* const gpus = gpu_backend_of_machine();
    return gpus ? gpus->count() : 0;
  }();
  return count;
}
inline bool has_gpu() { return gpu_count() > 0; }
/// So many of the machine's, or all: more than there are patches are refused.
inline std::vector<int> first_gpus(int patches) {
  std::vector<int> devices(static_cast<std::size_t>(std::min(patches, gpu_count())));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

}  // namespace goban::test
