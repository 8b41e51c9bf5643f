#pragma once
// A loop that one GPU repeats by itself: a graph of one node, which runs its body, recorded from a
// queue, as long as the kernel at its end tells it to.

#include "goban/backend/capabilities.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// The kernel that ends a round compiles (CUDA 12.4); no driver is needed to ask.
bool nvrtc_knows_loops();
/// It does, and the driver has such nodes.
bool has_device_loops();

class LoopRecording : public Recording {
 public:
  /// The queue records the body from now on.
  LoopRecording(int device, CUstream stream);
  ~LoopRecording() override;
  LoopRecording(const LoopRecording&) = delete;
  LoopRecording& operator=(const LoopRecording&) = delete;

  /// The body is recorded.
  void end(const LoopEnd& end);
  void replay() override;
  /// The driver changes nothing in bodies of loops.
  void begin_changes() override;
  void end_changes() override {}

 private:
  int device_;
  CUstream stream_;
  bool is_capturing_ = false;
  CUgraph graph_ = nullptr;
  CUgraphConditionalHandle loop_ = 0;
  CUgraphExec executable_ = nullptr;
};

}  // namespace goban::cuda
