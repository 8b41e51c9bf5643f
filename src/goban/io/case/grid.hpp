#pragma once
// The [grid] section: cells, spacing and size, of which two say the third.

#include <optional>

#include "goban/io/case/check.hpp"
#include "goban/io/case/schema.hpp"

namespace goban {

struct GridKeys {
  std::optional<Index3> cells;   ///< all, those of layers too
  std::optional<Real3> spacing;  ///< edge lengths of a cell
  Real3 size{};    ///< without layers; 0: one cell along that axis, as thick as others are wide
  Real3 origin{};  ///< lower corner of what has this size
  GridLayers layers{};
};

/// Sets what is missing, and the origin to the lower corner of cell (0, 0, 0). Returns what is
/// wrong: the size is no whole number of cells, all three are given and contradict each other, or
/// cells and spacing are both missing.
std::optional<ValueProblem> complete(GridKeys& grid);

}  // namespace goban
