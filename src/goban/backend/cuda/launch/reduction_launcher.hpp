#pragma once
// Launches reductions: one kernel for those of the same cells and the sweeps that make what they
// read.

#include <map>
#include <vector>

#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/launch/bundle_part.hpp"

namespace goban::cuda {

class ReductionLauncher {
 public:
  explicit ReductionLauncher(int device) : device_(device) {}

  /// Whether a part may follow these, reductions after sweeps, in their launch.
  static bool joins(const std::vector<BundlePart>& parts, const BundlePart& next);
  /// Queues sweeps and the reductions after them, at least one, and what the sweeps send.
  /// `memories`: one for each reduction.
  void launch(const std::vector<BundlePart>& parts, const ReductionMemory* memories,
              CUstream stream);
  /// Adds what their kernel is compiled from.
  void add_sources(const std::vector<BundlePart>& parts, std::vector<KernelSource>& sources);

 private:
  struct Made {
    KernelSource source;
    std::vector<KernelSubject> subjects;  ///< per part
    const Kernel* kernel = nullptr;       ///< the kernel, once it has been launched
    unsigned int in_flight = 0;           ///< blocks that run at once
  };
  /// What a kernel is made for: parts with these kernels, so many planes at once, and which of
  /// their fields others write.
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
