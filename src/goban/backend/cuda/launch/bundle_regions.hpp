#pragma once
// Distributes the cells of a bundle of sweeps over the blocks of one launch.

#include <array>
#include <vector>

#include "goban/backend/cuda/kernels/arguments.cuh"
#include "goban/grid/box.hpp"

namespace goban::cuda {

/// Cuts the union of the parts of each group into disjoint boxes, in each of which the same of them
/// have cells. Within a group boxes with the most parts come first, as their blocks take longest;
/// blocks of different groups may run at the same time. Cells and `order` are as in SweepTask;
/// along rows boxes end at multiples of `unit`.
std::vector<device::BundleRegion> regions_of(const std::vector<Box>& parts,
                                             const std::vector<std::vector<std::size_t>>& groups,
                                             const std::array<int, 3>& order, int unit);

/// Sets what blocks of `threads` threads take of each region. `longest`: their largest number of
/// threads along rows. Returns the number of blocks.
unsigned int share_out(std::vector<device::BundleRegion>& regions, int pack, int threads,
                       int longest);

}  // namespace goban::cuda
