#pragma once
// Decides which programs can run several steps in one pass through memory.

#include <string>

#include "goban/program/schedule.hpp"

namespace goban {

/// Returns why a schedule cannot run in passes on any executor; empty if it can. `dt`: the
/// parameter that holds the time step, or null.
std::string refusal_of(const Schedule& schedule, const ParameterRecord* dt);

}  // namespace goban
