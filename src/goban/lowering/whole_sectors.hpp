#pragma once
// Widens copies of ghosts at the ends of rows to whole memory sectors.

#include "goban/field/layout.hpp"

namespace goban {

/// Widens the boxes of a copy from one end of a patch's own rows, `source`, to the ghosts beyond
/// the other end, `target`. GPUs write memory by sectors and first read what a store leaves out of
/// a sector. So if the ghosts begin or end at a sector boundary and the padding between rows has
/// room, cells beyond the ghosts are copied, too.
void copy_whole_sectors(Box& source, Box& target, const FieldLayout& layout);

}  // namespace goban
