#pragma once
// What one or several GPUs do in a recorded cycle: a graph each.

#include <cuda_runtime.h>

#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/profiler_range.hpp"

namespace goban::cuda {

class CudaRecording : public Recording {
 public:
  CudaRecording() = default;
  ~CudaRecording() override {
    for (const Part& part : parts_) {
      const OnDevice current(part.device);
      cudaGraphExecDestroy(part.graph);
    }
  }
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;

  /// Takes what was captured from the queue on.
  void add(int device, cudaStream_t stream) {
    const OnDevice current(device);
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph), "recording");
    cudaGraphExec_t executable = nullptr;
    // Work on the halo queues goes first in graphs, too.
    const cudaError_t status =
        cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphDestroy(graph);
    check(status, "recording");
    parts_.push_back({device, executable, stream});
  }
  void replay() override {
    const ProfilerRange range("recorded cycles");
    for (const Part& part : parts_) {
      const OnDevice current(part.device);
      check(cudaGraphLaunch(part.graph, part.stream), "starting recorded work");
    }
  }

 private:
  struct Part {
    int device;
    cudaGraphExec_t graph;
    cudaStream_t stream;
  };
  std::vector<Part> parts_;
};

}  // namespace goban::cuda
