#pragma once
// Ghosts at the ends of rows, written so that memory has nothing to read first.

#include "goban/field/layout.hpp"

namespace goban {

/// One end of a patch's own rows, `source`, is copied beyond the other end, to `target`. GPUs write
/// memory by sectors, of which they read what a store leaves out: where the pad between rows has
/// room and a sector begins with the ghosts, or ends with them, cells beyond the ghosts are copied
/// along.
void copy_whole_sectors(Box& source, Box& target, const FieldLayout& layout);

}  // namespace goban
