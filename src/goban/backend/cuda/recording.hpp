#pragma once
// A recorded cycle of one or several GPUs; each GPU has a CUDA graph.

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

/// Made by CudaExecutor::begin_recording() and end_recording(). Nodes of the graphs are found by
/// Submission::recorded_as, so that their arguments can be changed.
class CudaRecording : public Recording {
 public:
  /// Lets its executors hand what they get to a recording; null: to their queues again.
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

  /// Ends the capture that began on this queue and adds its graph.
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
  /// Returns the nodes of the work with this number, to be filled in while recording, or to be
  /// changed once the recording is complete.
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
  std::map<int, RecordedNodes> nodes_;  ///< by Submission::recorded_as
  int changing_ = -1;                   ///< the number that was asked for last
};

}  // namespace goban::cuda
