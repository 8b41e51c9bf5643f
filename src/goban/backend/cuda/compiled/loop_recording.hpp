#pragma once
// A loop that one GPU repeats by itself: a graph with one conditional node, which runs its body,
// captured from a queue, until the kernel at the end of the body says that it is over. Inner loops
// are such nodes in its body. Kernels in such a body start some microseconds later than those of
// plain graphs; so work that repeats without a condition is a plain graph.

#include <optional>
#include <vector>

#include "goban/backend/capabilities.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// Returns whether NVRTC can compile the kernel that ends a round (CUDA 12.4). Needs no driver.
bool nvrtc_knows_loops();
/// Returns whether devices can repeat loops: NVRTC compiles the necessary kernels and the driver
/// has conditional nodes.
bool has_device_loops();

class LoopRecording : public Recording {
 public:
  LoopRecording(int device, CUstream stream);
  ~LoopRecording() override;
  LoopRecording(const LoopRecording&) = delete;
  LoopRecording& operator=(const LoopRecording&) = delete;

  /// Begins to capture the body of a loop, within the innermost one that is open. If `end` is null
  /// it is the outermost, of one round.
  void begin(const LoopEnd* end);
  /// Ends the body of the innermost open loop and goes on with the body around it.
  void end();
  bool is_complete() const { return open_.empty(); }
  void replay() override;
  /// Throws: the driver cannot change nodes in bodies of loops.
  void begin_changes() override;
  void end_changes() override {}

 private:
  struct Open {
    std::optional<LoopEnd> end;
    CUgraph body;
    CUgraphConditionalHandle handle;
    CUgraphNode node;
  };
  void capture(CUgraph body, const CUgraphNode* after);
  CUgraph stop_capture();

  int device_;
  CUstream stream_;
  std::vector<Open> open_;  ///< the open loops, each within the one before
  bool is_capturing_ = false;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace goban::cuda
