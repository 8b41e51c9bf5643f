#pragma once
// Turns a schedule into commands. The engine does this once for every state of names and halos in
// which a cycle begins.

#include "goban/lowering/command.hpp"

namespace goban {

/// Returns the commands of one cycle. A pure function of its arguments. With more than one step per
/// pass the schedule must compute ahead what passes need and have no overlap.
CommandList lower(const Schedule& schedule, const Slots& slots, const Bindings& bindings,
                  int steps_per_pass = 1);

}  // namespace goban
