#pragma once
// Ghosts at the ends of rows, written so that memory has nothing to read first.

#include "goban/backend/api.hpp"
#include "goban/field/layout.hpp"

namespace goban {

/// `task` copies one end of a patch's own rows beyond the other end. GPUs write memory by sectors,
/// of which they read what a store leaves out: where the pad between rows has room and a sector
/// begins with the ghosts, or ends with them, cells beyond the ghosts are copied along.
void copy_whole_sectors(CopyTask& task, const FieldLayout& layout);

}  // namespace goban
