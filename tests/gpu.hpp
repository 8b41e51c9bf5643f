#pragma once
// Tests compute on GPUs, too, where there are some.

#if GOBAN_HAVE_CUDA
#include "goban/backend/cuda/executor.hpp"
#endif

namespace goban::test {

inline int gpu_count() {
#if GOBAN_HAVE_CUDA
  static const int count = cuda::device_count();
  return count;
#else
  return 0;
#endif
}
inline bool has_gpu() { return gpu_count() > 0; }

}  // namespace goban::test
