#include "goban/backend/cuda/kernel_launch.hpp"

namespace goban::cuda {

void launch_with(const Kernel& kernel, const LaunchGrid& grid, CUstream stream, const char* what,
                 void** arguments) {
  const auto& [blocks, threads, shared_bytes, in_turn] = grid;
  const auto shared = static_cast<unsigned int>(shared_bytes);
  kernel.allow_shared_bytes(shared_bytes);
  if (launch_to_change) {
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = kernel.function();
    params.gridDimX = blocks.x, params.gridDimY = blocks.y, params.gridDimZ = blocks.z;
    params.blockDimX = threads.x, params.blockDimY = threads.y, params.blockDimZ = threads.z;
    params.sharedMemBytes = shared;
    params.kernelParams = arguments;
    check(driver().cuGraphExecKernelNodeSetParams(launch_to_change->graph, launch_to_change->node,
                                                  &params),
          what);
    return;
  }
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{};
  config.gridDimX = blocks.x, config.gridDimY = blocks.y, config.gridDimZ = blocks.z;
  config.blockDimX = threads.x, config.blockDimY = threads.y, config.blockDimZ = threads.z;
  config.sharedMemBytes = shared;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = in_turn && kernel.waits_for_turn() ? 1 : 0;
  check(driver().cuLaunchKernelEx(&config, kernel.function(), arguments, nullptr), what);
}

}  // namespace goban::cuda
