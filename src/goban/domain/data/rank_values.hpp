#pragma once
// Tells which values of a field a rank has.

#include "goban/field/record.hpp"
#include "goban/grid/decomposition.hpp"

namespace goban {

/// Returns the box of the values that a rank has, in global indices. The boxes of all ranks hold
/// every value exactly once.
Box values_of_rank(const Decomposition& decomposition, const GridState& grid,
                   const FieldRecord& field, int rank);

}  // namespace goban
