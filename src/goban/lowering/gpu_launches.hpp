#pragma once
// How launches on GPUs are made up, as far as a prediction of their time has to know.

#include <cstddef>

#include "goban/base/types.hpp"

namespace goban::gpu {

/// One launch copies no more pieces than this.
inline constexpr std::size_t pieces_of_launch = 40;
/// Sweeps send planes and rows of fields themselves that have no more components than this.
inline constexpr int components_sent = 4;
/// A sweep that has shapes to choose from is over before they matter with fewer cells.
inline constexpr Index least_cells_of_shapes = Index{1} << 18;

}  // namespace goban::gpu
