#pragma once
// What one or several GPUs do in a recorded cycle: a graph each.

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver.hpp"
#include "goban/backend/cuda/replay_counts.hpp"
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
      driver().cuStreamSynchronize(part.stream);  // what it counts in must stay as long
      driver().cuGraphExecDestroy(part.graph);
    }
  }
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;

  /// Takes what was captured from the queue on.
  void add(int device, CUstream stream) {
    const OnDevice current(device);
    CUgraph graph = nullptr;
    check(driver().cuStreamEndCapture(stream, &graph), "recording");
    // Nodes are named by the graph that was captured.
    const auto kept = std::shared_ptr<void>(
        graph, [](void* g) { driver().cuGraphDestroy(static_cast<CUgraph>(g)); });
    CUgraphExec executable = nullptr;
    // Work on the halo queues goes first in graphs, too.
    check(driver().cuGraphInstantiate(&executable, graph,
                                      CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY),
          "recording");
    parts_.push_back({device, executable, stream, kept});
  }
  ReplayCounts& counts() { return counts_; }
  void add_sweep(int device, SweepLauncher& launcher, const SweepTask& task,
                 const RecordedLaunch& launch) {
    sweeps_[task.recorded_as] = {device, &launcher, task, launch};
  }
  void replay() override {
    const ProfilerRange range("recorded cycles");
    for (const Part& part : parts_) {
      const OnDevice current(part.device);
      check(driver().cuGraphLaunch(part.graph, part.stream), "starting recorded work");
    }
  }
  bool change(int recorded_as, const SweepTask& now) override {
    const auto found = sweeps_.find(recorded_as);
    if (found == sweeps_.end()) return false;
    auto& [device, launcher, task, launch] = found->second;
    task.values = now.values;
    task.site.step = now.site.step;
    task.site.time = now.site.time;
    const OnDevice current(device);
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [d = device](const Part& p) { return p.device == d; });
    launcher->change(launch, part->graph, task, make_call(task));
    return true;
  }

 private:
  struct Part {
    int device;
    CUgraphExec graph;
    CUstream stream;
    std::shared_ptr<void> captured;
  };
  struct Sweep {
    int device;
    SweepLauncher* launcher;
    SweepTask task;
    RecordedLaunch launch;
  };
  ReplayCounts counts_;
  std::vector<Part> parts_;
  std::map<int, Sweep> sweeps_;  ///< that change, by number
};

}  // namespace goban::cuda
