#pragma once
// Launches bundles of sweeps with one kernel that computes all of them.

#include <map>
#include <vector>

#include "goban/backend/cuda/kernels/arguments.cuh"
#include "goban/backend/cuda/launch/bundle_part.hpp"

namespace goban::cuda {

/// Makes and launches the kernels of bundles on one device. SweepLauncher decides what is bundled.
class BundleLauncher {
 public:
  explicit BundleLauncher(int device) : device_(device) {}

  /// Returns whether a sweep is as fast in a bundle as alone, because no other launch shape would
  /// suit it better.
  static bool suits(const BundlePart& part);
  /// Returns whether `next` may join these parts in one launch.
  static bool joins(const std::vector<BundlePart>& parts, const BundlePart& next);
  /// Queues at least two parts, in one launch or, if their boxes make too many regions, in several,
  /// and the copies that they send.
  void launch(std::vector<BundlePart> parts, CUstream stream);
  /// Adds the sources of their kernels.
  void add_sources(std::vector<BundlePart> parts, std::vector<KernelSource>& sources);

 private:
  struct Made {
    KernelSource source;
    std::vector<KernelSubject> subjects;  ///< one for each part
    const Kernel* kernel = nullptr;       ///< null until it is launched
  };
  /// The regions of a bundle, for parts in these groups with these kernels over these boxes.
  struct Layout {
    int pack = 1;
    unsigned int blocks = 0;
    std::vector<device::BundleRegion> regions;
    /// The kernels made so far, keyed by changing_fields().
    std::map<std::vector<bool>, Made> made;
  };
  using LayoutKey = std::pair<std::vector<std::vector<std::size_t>>,
                              std::vector<std::pair<const StageKernels*, std::array<Index, 6>>>>;
  Layout& layout_of(const std::vector<BundlePart>& parts);
  static Made& made_for(Layout& layout, const std::vector<BundlePart>& parts);

  int device_;
  std::map<LayoutKey, Layout> layouts_;
};

}  // namespace goban::cuda
