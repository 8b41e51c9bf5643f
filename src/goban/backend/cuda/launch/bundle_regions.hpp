#pragma once
// How the cells of a bundle of sweeps are shared out among the blocks of one launch.

#include <array>
#include <vector>

#include "goban/backend/cuda/kernels/arguments.cuh"
#include "goban/grid/box.hpp"

namespace goban::cuda {

/// Disjoint boxes that have the same of these parts each. Those with most come first, as their
/// blocks take longest. Cells, and `order`, as of SweepTask; along rows boxes end at multiples of
/// `unit`.
std::vector<device::BundleRegion> regions_of(const std::vector<Box>& parts,
                                             const std::array<int, 3>& order, int unit);

/// Sets what blocks of so many threads take of each region; `longest`: along rows. Returns how many
/// blocks there are.
unsigned int share_out(std::vector<device::BundleRegion>& regions, int pack, int threads,
                       int longest);

}  // namespace goban::cuda
