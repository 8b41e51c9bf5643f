#include "goban/backend/cuda/compiled/kernel_launch.hpp"

#include "goban/backend/cuda/compiled/recorded_nodes.hpp"

namespace goban::cuda {
namespace {

/// Returns the node of the latest work in a queue that is being captured.
CUgraphNode latest_node(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  if (driver().cuStreamGetCaptureInfo_v3) {
    check(driver().cuStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &nodes, &edges,
                                             &count),
          "recording");
  } else {
    check(driver().cuStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &count),
          "recording");
  }
  require(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1,
          "a launch was not recorded as one node");
  return nodes[0];
}

}  // namespace

bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  check(driver().cuStreamIsCapturing(stream, &capture), "launching");
  return capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

void launch_with(const Kernel& kernel, const LaunchGrid& grid, CUstream stream, const char* what,
                 void** arguments) {
  const auto& [blocks, threads, shared_bytes, is_dependent] = grid;
  const auto shared = static_cast<unsigned int>(shared_bytes);
  kernel.allow_shared_bytes(shared_bytes);
  if (changes_recorded_nodes()) {
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = kernel.function();
    params.gridDimX = blocks.x, params.gridDimY = blocks.y, params.gridDimZ = blocks.z;
    params.blockDimX = threads.x, params.blockDimY = threads.y, params.blockDimZ = threads.z;
    params.sharedMemBytes = shared;
    params.kernelParams = arguments;
    const CUgraphNode node =
        RecordedNodes::next(recorded_nodes->launches, recorded_nodes->next_launch);
    check(driver().cuGraphExecKernelNodeSetParams(recorded_nodes->graph, node, &params), what);
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
  config.numAttrs = is_dependent && kernel.is_dependent() ? 1 : 0;
  check(driver().cuLaunchKernelEx(&config, kernel.function(), arguments, nullptr), what);
  if (recorded_nodes) recorded_nodes->launches.push_back(latest_node(stream));
}

}  // namespace goban::cuda
