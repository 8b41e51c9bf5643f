#pragma once
// Tests compute on GPUs, too, where there are some.

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

}  // namespace goban::test
