#pragma once
// Redistribution: the values of a field, by global index, to one of the same cells that is cut
// differently.

#include "goban/program/schedule.hpp"

namespace goban {

/// Adds what an instance that moves values does: every value from the patch that has it to the one
/// that will have it.
void add_moves(Schedule& schedule, const Slots& slots, int instance);

}  // namespace goban
