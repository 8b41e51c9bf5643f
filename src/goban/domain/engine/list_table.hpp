#pragma once
// Makes the tables of neighbours for lists of active cells.

#include "goban/backend/api.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/grid/patches.hpp"
#include "goban/sparse/list_stage.hpp"

namespace goban {

/// Returns the table of the neighbours of a patch's cells at these offsets: local cell numbers, or
/// list_wall() where there is no cell. The format is that of backend/kernels/list_table.hpp. The
/// threads of `executor` compute it.
std::vector<std::int32_t> list_table(const GridState& grid, const ListHalos& lists,
                                     const PatchGeometry& patch, const ListOffsets& offsets,
                                     Executor& executor);

}  // namespace goban
