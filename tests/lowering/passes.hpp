#pragma once
// Programs whose steps go in passes.

#include <string>
#include <vector>

#include "tests/lowering/lowered.hpp"

namespace goban::test {

/// A program whose steps go in passes, with u alone alive unless more is said to be.
struct Passes : Paper {
  explicit Passes(const BoundarySet& boundary = periodic, Index cells = 8)
      : Paper({cells, 4, 4}, boundary) {}

  Schedule schedule(int steps, const std::string& cuts = "",
                    ScheduleOptions::Edges edges = ScheduleOptions::Edges::none) const {
    const Decomposition decomposition = cut(cuts);
    return make_schedule(cycle({steps, false, alive, {decomposition.cuts}}), slots(),
                         Patches(decomposition, *grid.state(), 0), {Overlap::none, edges, {}});
  }
  /// All buffers have halos of one width.
  Bindings bindings(const Schedule& schedule, bool is_device) const {
    Bindings all =
        bindings_of(schedule, slots(),
                    is_device ? std::vector<int>(schedule.patches.size(), 0) : std::vector<int>{});
    for (auto& entry : all.state.entries) entry.halo = {{9, 9, 9}, {9, 9, 9}};
    return all;
  }
  CommandList list(const Schedule& schedule, int steps_per_pass, bool is_device) const {
    return lower(schedule, slots(), bindings(schedule, is_device), steps_per_pass);
  }
  Lines lines(const Schedule& schedule, int steps_per_pass) const {
    return lines_of(list(schedule, steps_per_pass, false), schedule, slots());
  }
  std::vector<bool> alive{true, false, false};
};
/// u as it was shifted, again and again.
struct Shifting : Passes {
  explicit Shifting(const BoundarySet& boundary = periodic, Index cells = 8)
      : Passes(boundary, cells) {
    step.apply(Look<0>{}, in(u), out(next));
    step.swap(u, next);
  }
};

inline std::vector<const BlockedSweeps*> passes_of(const CommandList& list) {
  std::vector<const BlockedSweeps*> all;
  for (const Command& command : list.commands) {
    if (const auto* pass = std::get_if<BlockedSweeps>(&command.what)) all.push_back(pass);
  }
  return all;
}
}  // namespace goban::test
