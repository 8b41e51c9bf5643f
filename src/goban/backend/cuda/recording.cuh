#pragma once
// What one or several GPUs do in a recorded cycle: a graph each.

#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/replay_counts.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/sweep_launcher.hpp"
#include "goban/backend/profiler_range.hpp"
#include "goban/backend/sweep_call.hpp"

namespace goban::cuda {

class CudaRecording : public Recording {
 public:
  CudaRecording() = default;
  ~CudaRecording() override {
    for (const Part& part : parts_) {
      const OnDevice current(part.device);
      cudaStreamSynchronize(part.stream);  // what it counts in must stay as long
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
    // Nodes are named by the graph that was captured.
    const auto kept = std::shared_ptr<void>(
        graph, [](void* g) { cudaGraphDestroy(static_cast<cudaGraph_t>(g)); });
    cudaGraphExec_t executable = nullptr;
    // Work on the halo queues goes first in graphs, too.
    check(cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagUseNodePriority),
          "recording");
    parts_.push_back({device, executable, stream, kept});
  }
  ReplayCounts& counts() { return counts_; }
  void add_sweep(int device, const SweepTask& task, const RecordedLaunch& launch) {
    sweeps_[task.recorded_as] = {device, task, launch};
  }
  void replay() override {
    const ProfilerRange range("recorded cycles");
    for (const Part& part : parts_) {
      const OnDevice current(part.device);
      check(cudaGraphLaunch(part.graph, part.stream), "starting recorded work");
    }
  }
  bool change(int recorded_as, const SweepTask& now) override {
    const auto found = sweeps_.find(recorded_as);
    if (found == sweeps_.end()) return false;
    auto& [device, task, launch] = found->second;
    task.values = now.values;
    task.site.step = now.site.step;
    task.site.time = now.site.time;
    const OnDevice current(device);
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [d = device](const Part& p) { return p.device == d; });
    SweepLauncher::change(launch, part->graph, task, make_call(task));
    return true;
  }

 private:
  struct Part {
    int device;
    cudaGraphExec_t graph;
    cudaStream_t stream;
    std::shared_ptr<void> captured;
  };
  struct Sweep {
    int device;
    SweepTask task;
    RecordedLaunch launch;
  };
  ReplayCounts counts_;
  std::vector<Part> parts_;
  std::map<int, Sweep> sweeps_;  ///< that change, by number
};

}  // namespace goban::cuda
