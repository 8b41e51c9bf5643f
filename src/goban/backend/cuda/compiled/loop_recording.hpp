#pragma once
// A loop that one GPU repeats by itself: a graph of one node, which runs its body, recorded from a
// queue, as long as the kernel at its end tells it to. Loops within it are such nodes of its body.
// Kernels of bodies start some microseconds later than those of graphs; what nothing ends is a
// graph.

#include <optional>
#include <vector>

#include "goban/backend/capabilities.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// The kernel that ends a round compiles (CUDA 12.4); no driver is needed to ask.
bool nvrtc_knows_loops();
/// Whether NVRTC knows loops that devices run, and the driver has nodes for them.
bool has_device_loops();

class LoopRecording : public Recording {
 public:
  LoopRecording(int device, CUstream stream);
  ~LoopRecording() override;
  LoopRecording(const LoopRecording&) = delete;
  LoopRecording& operator=(const LoopRecording&) = delete;

  /// The queue records the body of a loop from now on, which is within the last that has begun;
  /// null: the first, of one round.
  void begin(const LoopEnd* end);
  /// The body of the last that has begun is recorded, and more of that it is within from now on.
  void end();
  bool is_complete() const { return open_.empty(); }
  void replay() override;
  /// The driver changes nothing in bodies of loops.
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
  std::vector<Open> open_;  ///< each within the one before
  bool is_capturing_ = false;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace goban::cuda
