#pragma once
// Launches sweeps on one device, each with the launch choice that is known, or found by trials, to
// be fastest.

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

/// How launches are chosen, by Settings::launches.
class LaunchPolicy {
 public:
  /// `text` must pass check_launches().
  explicit LaunchPolicy(const std::string& text);

  bool tries() const { return tries_; }
  /// Returns the forced choice if it is among `choices`, else the first.
  LaunchChoice without_trying(const std::vector<LaunchChoice>& choices) const;
  LaunchMemory& memory() { return memory_; }

 private:
  bool tries_;
  std::optional<LaunchChoice> forced_;
  LaunchMemory memory_;
};

/// Launches sweeps, bundles, reductions and passes. CudaExecutor has one for its device.
class SweepLauncher {
 public:
  /// `name`: the device's name, under which launches are remembered.
  SweepLauncher(int device, std::string name, std::shared_ptr<LaunchPolicy> policy)
      : device_(device),
        name_(std::move(name)),
        policy_(std::move(policy)),
        bundles_(device),
        reductions_(device) {}

  /// Queues a sweep that reduces nothing. A large one is run many times when it comes first, and
  /// waited for, to find the fastest launch.
  void launch(const SweepTask& task, const SweepCall& sweep, CUstream stream);
  /// Queues a bundle of sweeps and reductions, or a single reduction, with as few launches as
  /// possible. `memories`: one for each reduction.
  void launch(const std::vector<const SweepTask*>& bundle,
              const std::vector<ReductionMemory>& memories, CUstream stream);
  /// Queues a pass of several steps.
  void pass(const PassTask& task, CUstream stream);

  /// Add the sources of all kernels that these tasks will try, except for kernels that were added
  /// or launched before.
  void add_sources(const SweepTask& task, std::vector<KernelSource>& sources);
  void add_sources(const std::vector<const SweepTask*>& bundle, std::vector<KernelSource>& sources);
  void add_sources(const PassTask& task, std::vector<KernelSource>& sources);

 private:
  template <class Alone, class Together, class Reduced>
  void divide(const std::vector<const SweepTask*>& bundle, const Alone& alone,
              const Together& together, const Reduced& reduced);
  struct Key {
    const StageKernels* kernels;
    std::array<Index, 3> cells;  ///< along the fastest, middle and slowest axis
    bool has_mask;
    auto operator<=>(const Key&) const = default;
  };
  struct Chosen {
    LaunchChoice choice;
    bool was_tried = false;
  };
  static Key key_of(const StageKernels& kernels, const SweepTask& task);
  /// Returns the text under which the launch of a sweep is remembered.
  static std::string text_of(const Key& key, const SweepTask& task);
  void run(StageKernels& kernels, const LaunchChoice& choice, const SweepTask& task,
           const SweepCall& sweep, CUstream stream, const std::vector<SendsOfArgument>& sends);
  Chosen choose(const Key& key, StageKernels& kernels, const SweepTask& task,
                const SweepCall& sweep, CUstream stream);
  /// Returns the choice if it is known without trials.
  std::optional<Chosen> known_choice(const Key& key, const SweepTask& task,
                                     const std::vector<LaunchChoice>& choices) const;
  /// Returns the choice for a box of nearly the same size. Ghost expansion and moving cuts lead to
  /// many such boxes.
  std::optional<LaunchChoice> found_for_alike(const Key& key) const;
  /// Returns the fastest of several choices by running them; none if the device must not be waited
  /// for.
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
