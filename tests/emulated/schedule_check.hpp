#pragma once
// Proves, cell by cell, that a schedule never reads what is not there.

#include "goban/program/schedule.hpp"

namespace goban::emulated {

/// See goban::check_schedule.
void check_schedule(const Schedule& schedule, const Slots& slots);

}  // namespace goban::emulated
