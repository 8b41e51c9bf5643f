#pragma once
// What one or several GPUs do in a recorded cycle: a graph each.

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/replay_counts.hpp"
#include "goban/backend/profiler_range.hpp"

namespace goban::cuda {

class CudaRecording : public Recording {
 public:
  /// Has its executors give a recording what they get; null: their queues.
  using Attach = std::function<void(CudaRecording*)>;

  explicit CudaRecording(Attach attach) : attach_(std::move(attach)) {}
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
  /// Nodes of the work with this number, to be noted or, where the recording is complete, changed.
  RecordedNodes& nodes(int device, int number) {
    RecordedNodes& nodes = nodes_[number];
    for (const Part& part : parts_) {
      if (part.device == device) nodes.graph = part.graph;
    }
    if (number != std::exchange(changing_, number)) nodes.next_launch = nodes.next_rule = 0;
    return nodes;
  }
  void replay() override {
    const ProfilerRange range("recorded cycles");
    for (const Part& part : parts_) {
      const OnDevice current(part.device);
      check(driver().cuGraphLaunch(part.graph, part.stream), "starting recorded work");
    }
  }
  void begin_changes() override {
    changing_ = -1;
    attach_(this);
  }
  void end_changes() override { attach_(nullptr); }
  bool is_complete() const { return !parts_.empty(); }

 private:
  struct Part {
    int device;
    CUgraphExec graph;
    CUstream stream;
    std::shared_ptr<void> captured;
  };
  ReplayCounts counts_;
  std::vector<Part> parts_;
  Attach attach_;
  std::map<int, RecordedNodes> nodes_;  ///< by number
  int changing_ = -1;                   ///< the number that came last
};

}  // namespace goban::cuda
