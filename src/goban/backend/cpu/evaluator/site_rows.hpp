#pragma once
// Computes what depends on where the cells of a row lie: indices, positions, random numbers, walls,
// values found by lists, and values on other grids.

#include "goban/backend/cpu/evaluator/row_program.hpp"
#include "goban/backend/kernel_call.hpp"
#include "goban/grid/index_map.hpp"
#include "goban/stencil/site.hpp"

namespace goban::cpu {

/// The first cell of a piece of a row, and the axis along which rows run.
struct RowSite {
  SiteInfo info;
  int fast_axis = 0;
};

/// Computes the index, position or random number of n cells.
void site_row(const Instruction& instruction, const RowSite& site, void* to, Index n);

/// Copies the operand for cells within the grid, and sets constants for those beyond its ends.
void walled_row(const Instruction& instruction, const RowSite& site, void* to, const void* operand,
                Index n);

/// Finds the local numbers of the neighbours of n cells from local cell number `first` on.
void neighbor_row(const Instruction& instruction, const FieldBinding& table, Index first, void* to,
                  Index n);
/// Gathers the values of these neighbours by their numbers.
void gathered_row(const Instruction& instruction, const FieldBinding& field, Index first, void* to,
                  const void* numbers, Index n);

/// Reads values on another grid. `row` points to global cell 0 along the row of the other grid,
/// without what the offset adds.
void other_grid_row(const Instruction& instruction, const RowSite& site, const IndexMap& map,
                    void* to, const void* row, Index n);

}  // namespace goban::cpu
