#pragma once
// Limits of launches on GPUs that predictions of their time have to know.

#include <cstddef>

#include "goban/base/types.hpp"

namespace goban::gpu {

/// The largest number of pieces that one launch copies.
inline constexpr std::size_t pieces_of_launch = 40;
/// Sweeps themselves copy into other patches' halos only if fields have at most this many
/// components.
inline constexpr int components_sent = 4;
/// Launch shapes are tried only for sweeps over at least this many cells; smaller ones are too
/// short for the shape to matter.
inline constexpr Index least_cells_of_shapes = Index{1} << 18;

}  // namespace goban::gpu
