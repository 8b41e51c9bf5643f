#pragma once
// Tests that compute on GPUs where there are some, compiled with GOBAN_GPU_TESTS.

#ifdef GOBAN_GPU_TESTS
#include "goban/backend/cuda/executor.hpp"
#endif

namespace goban::test {

inline int gpu_count() {
#ifdef GOBAN_GPU_TESTS
  static const int count = static_cast<int>(cuda::devices().size());
  return count;
#else
  return 0;
#endif
}
inline bool has_gpu() { return gpu_count() > 0; }

}  // namespace goban::test
