#pragma once
// Boxes as dense arrays, one bounded piece at a time.

#include <functional>
#include <vector>

#include "goban/grid/box.hpp"

namespace goban {

/// Disjoint boxes that cover [0, extents) in the order of files: whole planes, rows of a plane or
/// parts of a row, as large as fits into `limit` bytes, at least one cell each. Depends on nothing
/// else, so files do not depend on decompositions.
std::vector<Box> blocks_of(Index3 extents, Index bytes_per_cell, Index limit);

/// Makes the values of a box as a dense array: x fastest, component slowest.
using BoxSource = std::function<void(const Box& box, void* elements)>;

/// Is shown a box before something is done with it.
using BoxFunction = std::function<void(const Box& box)>;

/// Copies the values of the cells that two dense arrays have in common; each is of a box.
void copy_common(const Box& from_box, const void* from, const Box& to_box, void* to, int components,
                 std::size_t element_size);

}  // namespace goban
