#pragma once
// Several steps of a schedule as one pass through memory: what lives only between them, and where
// what must be kept goes.

#include <map>
#include <vector>

#include "goban/program/schedule.hpp"

namespace goban {

/// The steps first ... last - 1 of a cycle.
class BlockedPlan {
 public:
  BlockedPlan(const Cycle& cycle, int first, int last)
      : cycle_(cycle), first_(first), last_(last) {}

  bool is_inside(int instance) const {
    return instance >= 0 && step_of(instance) >= first_ && step_of(instance) < last_;
  }
  /// Whether a step of the pass reads it, or leaves some of it as it is.
  bool is_read(int version) const;
  /// Whether it is needed after the pass.
  bool is_kept(int version) const;
  /// Whether what the slot held before is read by tiles that may come after those that write it.
  bool is_in_use(int slot) const;
  /// Whether the slot's memory holds what is still needed, during the pass or after it.
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
