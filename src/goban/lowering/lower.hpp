#pragma once
// From a schedule to commands: once for every way that names are bound and halos are valid.

#include "goban/lowering/command.hpp"

namespace goban {

/// The cycle of a schedule for these bindings; depends on nothing else. With several steps a pass
/// the schedule must compute ahead and overlap nothing.
CommandList lower(const Schedule& schedule, const Slots& slots, const Bindings& bindings,
                  int steps_per_pass = 1);

}  // namespace goban
