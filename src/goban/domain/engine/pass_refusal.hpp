#pragma once
// Which programs run several steps in one pass through memory.

#include <string>

#include "goban/program/schedule.hpp"

namespace goban {

/// Why a schedule cannot run in passes, whatever computes; empty if it can. `dt`: the time step, if
/// it is a parameter.
std::string refusal_of(const Schedule& schedule, const ParameterRecord* dt);

}  // namespace goban
