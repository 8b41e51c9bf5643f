#pragma once
// Tells on which patches a coarser grid lies, and why.

#include <string>

#include "goban/grid/grid.hpp"

namespace goban {

/// Returns "on one device (61 us predicted for it and coarser ones, 117 us spread)" or "in 2 x 2 x
/// 1 patches (...)"; without a reason if nothing was predicted. Cuts the grids of the family if
/// they are not cut yet.
std::string place_text(GridState& grid);

}  // namespace goban
