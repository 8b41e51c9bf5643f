#pragma once
// A plane of a field that a viewer looks at.

#include "goban/io/file/array_view.hpp"
#include "goban/simulation/live/page_facts.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban {

PageField page_field(const AnyField& field);

/// Values of one component, one layer of cells; empty on ranks other than the first, which have
/// their part in it. NaN in cells that are not active, and in the ground below levels that follow
/// it. `wish` is within() the field. Collective.
Array read_plane(const AnyField& field, const SliceWish& wish, bool is_first);

}  // namespace goban
