#pragma once
// What depends on where the cells of a row lie: indices, positions, random numbers, walls, values
// that lists name, and values on other grids.

#include "goban/backend/cpu/evaluator/row_program.hpp"
#include "goban/backend/kernel_call.hpp"
#include "goban/grid/index_map.hpp"
#include "goban/stencil/site.hpp"

namespace goban::cpu {

/// The first cell of a piece of a row, and along which axis rows run.
struct RowSite {
  SiteInfo info;
  int fast_axis = 0;
};

/// Index, position or random number of n cells.
void site_row(const Instruction& instruction, const RowSite& site, void* to, Index n);

/// The operand where the cells lie in the grid, constants beyond its ends.
void walled_row(const Instruction& instruction, const RowSite& site, void* to, const void* operand,
                Index n);

/// Local numbers of the neighbours of n cells, the first of which is the `first` of its patch.
void neighbor_row(const Instruction& instruction, const FieldBinding& table, Index first, void* to,
                  Index n);
/// What these have, by their numbers.
void gathered_row(const Instruction& instruction, const FieldBinding& field, Index first, void* to,
                  const void* numbers, Index n);

/// `row` points to global cell 0 along the row on the other grid, beside what the offset adds.
void other_grid_row(const Instruction& instruction, const RowSite& site, const IndexMap& map,
                    void* to, const void* row, Index n);

}  // namespace goban::cpu
