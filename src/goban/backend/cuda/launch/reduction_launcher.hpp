#pragma once
// Launches reductions, with one kernel for reductions over the same cells and the sweeps that
// compute what they read.

#include <map>
#include <vector>

#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/launch/bundle_part.hpp"

namespace goban::cuda {

/// Makes and launches the kernels of reductions on one device.
class ReductionLauncher {
 public:
  explicit ReductionLauncher(int device) : device_(device) {}

  /// Returns whether `next` may join these parts in one launch. Reductions come after sweeps.
  static bool joins(const std::vector<BundlePart>& parts, const BundlePart& next);
  /// Queues sweeps and the reductions after them, of which there is at least one, and the copies
  /// that the sweeps send. `memories`: one for each reduction.
  void launch(const std::vector<BundlePart>& parts, const ReductionMemory* memories,
              CUstream stream);
  /// Adds the source of their kernel.
  void add_sources(const std::vector<BundlePart>& parts, std::vector<KernelSource>& sources);

 private:
  struct Made {
    KernelSource source;
    std::vector<KernelSubject> subjects;  ///< one per part
    const Kernel* kernel = nullptr;       ///< null until it is launched
    unsigned int in_flight = 0;           ///< blocks that run at once
  };
  /// What a kernel depends on: the kernels of its parts, the planes that a thread takes at once,
  /// and which of their fields other parts write.
  struct Key {
    std::vector<const StageKernels*> kernels;
    int planes;
    std::vector<bool> changing, have_short_offsets;
    auto operator<=>(const Key&) const = default;
  };
  Made& made_for(const std::vector<BundlePart>& parts, int planes);

  int device_;
  std::map<Key, Made> made_;
};

}  // namespace goban::cuda
