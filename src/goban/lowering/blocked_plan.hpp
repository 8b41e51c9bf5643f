#pragma once
// Finds out, for several steps that run as one pass through memory, which versions live only
// between the steps and which must be in memory afterwards.

#include <map>
#include <vector>

#include "goban/program/schedule.hpp"

namespace goban {

/// The pass over the steps `first` to `last` - 1 of a cycle.
class BlockedPlan {
 public:
  BlockedPlan(const Cycle& cycle, int first, int last)
      : cycle_(cycle), first_(first), last_(last) {}

  bool is_inside(int instance) const {
    return instance >= 0 && step_of(instance) >= first_ && step_of(instance) < last_;
  }
  /// Whether a step of the pass reads the version, or leaves a part of it unchanged in the next
  /// one.
  bool is_read(int version) const;
  /// Whether the version is needed after the pass.
  bool is_kept(int version) const;
  /// Whether the pass reads what the slot held before it. Tiles that do so may run after tiles that
  /// overwrite it.
  bool is_in_use(int slot) const;
  /// Whether the slot's memory holds a version that is needed during the pass or after it.
  bool is_needed(int slot) const;

 private:
  const Version& version(int v) const { return cycle_.versions[static_cast<std::size_t>(v)]; }
  int versions() const { return static_cast<int>(cycle_.versions.size()); }
  template <class IsAskedFor>
  bool is_used_by(int version, IsAskedFor&& instance) const;
  int step_of(int instance) const {
    return cycle_.instances[static_cast<std::size_t>(instance)].step;
  }
  const Cycle& cycle_;
  int first_, last_;
};

}  // namespace goban
