#pragma once
// Proves, cell by cell, that a schedule never reads what is not there.

#include "goban/program/schedule.hpp"

namespace goban {

/// Walks through the operations with a stamp per cell, the version it holds; ghost cells start
/// empty. Every read of every sweep must find the version the program means, every copy and fill a
/// source that is valid. Cost: 4 bytes and a few operations per cell, field component and read.
///
/// Error (ExitCode::usage) naming stage, field, patch and cell of the first stale read.
void check_schedule(const Schedule& schedule, const Slots& slots);

}  // namespace goban
