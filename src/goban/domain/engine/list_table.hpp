#pragma once
// Tables of neighbours are made.

#include "goban/backend/api.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/grid/patches.hpp"
#include "goban/sparse/list_stage.hpp"

namespace goban {

/// Where the neighbours of a patch's cells lie at these offsets: local numbers, or list_wall() of
/// where there is none, as backend/kernels/list_table.hpp has it. The threads of `executor` make
/// it.
std::vector<std::int32_t> list_table(const GridState& grid, const ListHalos& lists,
                                     const PatchGeometry& patch, const ListOffsets& offsets,
                                     Executor& executor);

}  // namespace goban
