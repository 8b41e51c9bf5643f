#pragma once
// Tests that compute on GPUs where there are some, compiled with GOBAN_GPU_TESTS.

#ifdef GOBAN_GPU_TESTS
#include "goban/backend/cuda/executor.hpp"
#endif

namespace goban::test {

inline bool has_gpu() {
#ifdef GOBAN_GPU_TESTS
  static const bool is_there = !cuda::devices().empty();
  return is_there;
#else
  return false;
#endif
}

}  // namespace goban::test
