#pragma once
// Launches sweeps on one device, each in the way that is known or found to be fastest.

#include <map>
#include <memory>
#include <typeinfo>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/launch_memory.hpp"

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

/// A launch in a recording, and how it was made.
struct RecordedLaunch {
  LaunchChoice choice;
  void* node = nullptr;  ///< cudaGraphNode_t
};

class SweepLauncher {
 public:
  /// `device` names what launches are remembered for.
  SweepLauncher(std::string device, std::shared_ptr<LaunchPolicy> policy)
      : device_(std::move(device)), policy_(std::move(policy)) {}

  /// Queues a sweep that reduces nothing on `stream`. The first time a large one comes it is run
  /// many times over, and waited for, to find the fastest way.
  RecordedLaunch launch(const SweepTask& task, const SweepCall& sweep, void* stream);
  /// Gives a launch of the same task, but for numbers, these in a recorded graph.
  static void change(const RecordedLaunch& launch, void* graph, const SweepTask& task,
                     const SweepCall& sweep);

 private:
  struct Key {
    const void* kernel;          ///< the plainest: of one functor on fields of some types
    std::array<Index, 3> cells;  ///< fastest, middle, slowest
    bool has_mask, reads_as_typed;
    auto operator<=>(const Key&) const = default;
  };
  struct Chosen {
    LaunchChoice choice;
    bool was_tried = false;
  };
  Chosen choose(const Key& key, const SweepTask& task, const SweepCall& sweep, void* stream);
  /// What was found for nearly the same box: ghost expansion and cuts that move make many of them.
  std::optional<LaunchChoice> found_for_alike(const Key& key) const;
  /// The fastest of some launches; null if the device must not be waited for.
  std::optional<LaunchChoice> fastest(const std::vector<LaunchChoice>& choices,
                                      const SweepTask& task, const SweepCall& call,
                                      void* stream) const;

  std::string device_;
  std::shared_ptr<LaunchPolicy> policy_;
  std::map<Key, Chosen> chosen_;
};

}  // namespace goban::cuda
