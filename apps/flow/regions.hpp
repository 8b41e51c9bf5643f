#pragma once
// Regions of fluid that solids separate, and what flows into and out of each.

#include <cstdint>
#include <functional>
#include <vector>

#include "flow/model.hpp"
#include "goban/grid/grid.hpp"

namespace goban::flow {

/// Error (usage) where a region cannot let out what enters it, or its outflow sides would let out
/// something else; nothing where each can. `types`: those of all cells (staggered::cell), x
/// fastest.
void check_regions(const std::vector<std::uint8_t>& types, const Model& model,
                   const GridState& grid);

}  // namespace goban::flow
