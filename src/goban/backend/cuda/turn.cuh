#pragma once
// Kernels of one queue, one after the other with little between them: the next one is launched when
// the last block of the one before has started, and waits there for its end.

#include <cuda_runtime.h>

#include <utility>

namespace goban::cuda {

/// Before a kernel touches memory: what the queue got before is done. Every block calls it, or some
/// kernel after this one might start too early.
__device__ __forceinline__ void wait_for_turn() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// The next kernel may be launched, to wait for its turn.
__device__ __forceinline__ void let_next_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Devices of a machine are taken to be alike.
inline bool launches_in_turn() {
  static const bool is_able = [] {
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           major >= 9;
  }();
  return is_able;
}

/// A launch in a recorded graph.
struct LaunchNode {
  cudaGraphExec_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
};
/// While it is set, a launch of the same kernel gives that node its arguments instead.
inline thread_local const LaunchNode* launch_to_change = nullptr;

/// Launches a kernel that waits for its turn itself.
template <class... Parameters, class... Arguments>
void launch_in_turn(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                    std::size_t shared_bytes, cudaStream_t stream, Arguments&&... arguments) {
  if (launch_to_change) {
    const auto change = [&](Parameters... parameters) {
      void* addresses[] = {&parameters...};
      cudaKernelNodeParams params{};
      params.func = reinterpret_cast<void*>(kernel);
      params.gridDim = blocks;
      params.blockDim = threads;
      params.sharedMemBytes = static_cast<unsigned int>(shared_bytes);
      params.kernelParams = addresses;
      // An error stays and is found by whoever launches.
      cudaGraphExecKernelNodeSetParams(launch_to_change->graph, launch_to_change->node, &params);
    };
    return change(std::forward<Arguments>(arguments)...);
  }
  cudaLaunchAttribute in_turn;
  in_turn.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  in_turn.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &in_turn;
  config.numAttrs = launches_in_turn() ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace goban::cuda
