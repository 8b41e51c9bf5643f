#pragma once
// How an array is cut into the pieces that are written, hashed and read one at a time.

#include <vector>

#include "goban/grid/box.hpp"

namespace goban {

/// Disjoint boxes that cover [0, extents) in the order of files: whole planes, rows of a plane or
/// parts of a row, as large as fits into `limit` bytes, at least one cell each. Depends on nothing
/// else, so files do not depend on decompositions.
std::vector<Box> blocks_of(Index3 extents, Index bytes_per_cell, Index limit);

}  // namespace goban
