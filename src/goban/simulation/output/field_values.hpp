#pragma once
// Copies of field values for files and pictures.

#include "goban/io/file/array_view.hpp"
#include "goban/simulation/any_field.hpp"

namespace goban {

/// The values of all cells in `box`, by global index. Collective.
Array values_of(const AnyField& field, const Box& box);
/// The part of a rank in values_of() of others, of which it wants none.
void help_with_values_of(const AnyField& field);

}  // namespace goban
