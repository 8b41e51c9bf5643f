#pragma once
// Launches bundles of sweeps: one kernel for all, made of what each computes.

#include <map>
#include <vector>

#include "goban/backend/cuda/kernels/arguments.cuh"
#include "goban/backend/cuda/launch/bundle_part.hpp"

namespace goban::cuda {

class BundleLauncher {
 public:
  explicit BundleLauncher(int device) : device_(device) {}

  /// This sweep is as fast in a bundle as alone: no other shape of its kernel suits it better.
  static bool suits(const BundlePart& part);
  /// Whether a part may follow these in their launch.
  static bool joins(const std::vector<BundlePart>& parts, const BundlePart& next);
  /// Queues at least two, in one launch or, where their boxes are too many pieces, several, and
  /// what they send.
  void launch(std::vector<BundlePart> parts, CUstream stream);
  /// Adds what their kernels are compiled from.
  void add_sources(std::vector<BundlePart> parts, std::vector<KernelSource>& sources);

 private:
  struct Made {
    KernelSource source;
    std::vector<KernelSubject> subjects;  ///< a subject for each part
    const Kernel* kernel = nullptr;       ///< the kernel, once it has been launched
  };
  /// What is launched for parts with these kernels over these boxes.
  struct Layout {
    int pack = 1;
    unsigned int blocks = 0;
    std::vector<device::BundleRegion> regions;
    /// The kernels made so far, by which fields of all parts, one after the other, others write.
    std::map<std::vector<bool>, Made> made;
  };
  using LayoutKey = std::vector<std::pair<const StageKernels*, std::array<Index, 6>>>;
  Layout& layout_of(const std::vector<BundlePart>& parts);
  static Made& made_for(Layout& layout, const std::vector<BundlePart>& parts);

  int device_;
  std::map<LayoutKey, Layout> layouts_;
};

}  // namespace goban::cuda
