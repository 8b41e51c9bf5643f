#pragma once
// Where a coarser grid lies, and why.

#include <string>

#include "goban/grid/grid.hpp"

namespace goban {

/// "on one device (61 us predicted for it and coarser ones, 117 us spread)", "in 2 x 2 x 1 patches
/// (...)"; without a reason where nothing was predicted. Cuts the grids of the family.
std::string place_text(GridState& grid);

}  // namespace goban
