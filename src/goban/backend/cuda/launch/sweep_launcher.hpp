#pragma once
// Launches sweeps on one device, each in the way that is known or found to be fastest.

#include <map>
#include <memory>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/compiled/recorded_nodes.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/launch/bundle_launcher.hpp"
#include "goban/backend/cuda/launch/launch_arguments.hpp"
#include "goban/backend/cuda/launch/launch_memory.hpp"
#include "goban/backend/cuda/launch/reduction_launcher.hpp"
#include "goban/backend/cuda/launch/stage_kernels.hpp"

namespace goban::cuda {

/// How launches are chosen; see Settings::launches.
class LaunchPolicy {
 public:
  /// As check_launches() wants it.
  explicit LaunchPolicy(const std::string& text);

  bool tries() const { return tries_; }
  /// What `choices` holds of the forced way; else the first.
  LaunchChoice without_trying(const std::vector<LaunchChoice>& choices) const;
  LaunchMemory& memory() { return memory_; }

 private:
  bool tries_;
  std::optional<LaunchChoice> forced_;
  LaunchMemory memory_;
};

class SweepLauncher {
 public:
  /// `name` of the device: what launches are remembered for.
  SweepLauncher(int device, std::string name, std::shared_ptr<LaunchPolicy> policy)
      : device_(device),
        name_(std::move(name)),
        policy_(std::move(policy)),
        bundles_(device),
        reductions_(device) {}

  /// Queues a sweep that reduces nothing on `stream`. The first time a large one comes it is run
  /// many times over, and waited for, to find the fastest way.
  void launch(const SweepTask& task, const SweepCall& sweep, CUstream stream);
  /// Queues a bundle of sweeps and reductions, or a reduction alone, as few launches as may be.
  /// `memories`: one for each reduction.
  void launch(const std::vector<const SweepTask*>& bundle,
              const std::vector<ReductionMemory>& memories, CUstream stream);
  /// Queues a pass of several steps.
  void pass(const PassTask& task, CUstream stream);

  /// Adds what the kernels of such tasks are compiled from, of all that will be tried for them, but
  /// for those that were added or launched before.
  void add_sources(const SweepTask& task, std::vector<KernelSource>& sources);
  void add_sources(const std::vector<const SweepTask*>& bundle, std::vector<KernelSource>& sources);
  void add_sources(const PassTask& task, std::vector<KernelSource>& sources);

 private:
  template <class Alone, class Together, class Reduced>
  void divide(const std::vector<const SweepTask*>& bundle, const Alone& alone,
              const Together& together, const Reduced& reduced);
  struct Key {
    const StageKernels* kernels;
    std::array<Index, 3> cells;  ///< fastest, middle, slowest
    bool has_mask;
    auto operator<=>(const Key&) const = default;
  };
  struct Chosen {
    LaunchChoice choice;
    bool was_tried = false;
  };
  static Key key_of(const StageKernels& kernels, const SweepTask& task);
  /// As launches are remembered for it.
  static std::string text_of(const Key& key, const SweepTask& task);
  void run(StageKernels& kernels, const LaunchChoice& choice, const SweepTask& task,
           const SweepCall& sweep, CUstream stream, const std::vector<SendsOfArgument>& sends);
  Chosen choose(const Key& key, StageKernels& kernels, const SweepTask& task,
                const SweepCall& sweep, CUstream stream);
  /// The choice that is known without trying; none: it has to be tried.
  std::optional<Chosen> known_choice(const Key& key, const SweepTask& task,
                                     const std::vector<LaunchChoice>& choices) const;
  /// What was found for nearly the same box: ghost expansion and cuts that move make many of them.
  std::optional<LaunchChoice> found_for_alike(const Key& key) const;
  /// The fastest of some launches; none if the device must not be waited for.
  std::optional<LaunchChoice> fastest(const std::vector<LaunchChoice>& choices,
                                      StageKernels& kernels, const SweepTask& task,
                                      const SweepCall& call, CUstream stream);

  int device_;
  std::string name_;
  std::shared_ptr<LaunchPolicy> policy_;
  StageKernelStore store_;
  BundleLauncher bundles_;
  ReductionLauncher reductions_;
  std::map<Key, Chosen> chosen_;
};

}  // namespace goban::cuda
