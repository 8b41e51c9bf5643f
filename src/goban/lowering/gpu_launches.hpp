#pragma once
// How launches on GPUs are made up, as far as a prediction of their time has to know.

#include <cstddef>

#include "goban/base/types.hpp"

namespace goban::gpu {

/// That one launch copies.
inline constexpr std::size_t pieces_of_launch = 40;
/// Of a field whose planes and rows sweeps send themselves.
inline constexpr int components_sent = 4;
/// A sweep that has shapes to choose from is over before they matter with fewer cells.
inline constexpr Index least_cells_of_shapes = Index{1} << 18;

}  // namespace goban::gpu
