#pragma once
// Which values of a field a rank has.

#include "goban/field/record.hpp"
#include "goban/grid/decomposition.hpp"

namespace goban {

/// Global indices; together the boxes of all ranks hold every value once.
Box values_of_rank(const Decomposition& decomposition, const GridState& grid,
                   const FieldRecord& field, int rank);

}  // namespace goban
