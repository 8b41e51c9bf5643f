#pragma once
// Launches of the kernels of gpu_*.cuh: one thread a value, or as many as keep a GPU busy.

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/base/types.hpp"

namespace goban::graph500 {

inline constexpr unsigned int threads_of_block = 256;

inline unsigned int blocks_for(Index count) {
  return static_cast<unsigned int>((count + threads_of_block - 1) / threads_of_block);
}

/// How many blocks keep the current device busy: eight on each of its multiprocessors.
inline unsigned int busy_blocks() {
  return 8 * static_cast<unsigned int>(cuda::attribute(
                 cuda::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, cuda::current_device()));
}

/// Arguments have the types of the kernel's parameters, exactly.
template <class... Arguments>
void start(const cuda::OwnKernel& kernel, unsigned int blocks, cuda::CUstream stream,
           const char* what, const Arguments&... arguments) {
  if (blocks == 0) return;
  cuda::launch(kernel.here(), {{blocks}, {threads_of_block}, 0, false}, stream, what, arguments...);
}

}  // namespace goban::graph500
