#pragma once
// Cuts with which pieces of devices of different speed are done at the same time.

#include <vector>

#include "goban/grid/decomposition.hpp"

namespace goban {

/// Cuts {0, ..., cells} into pieces whose extents are as the weights, to the next whole plane, and
/// at least `least` as far as there are so many planes. Weights are positive.
std::vector<Index> weighted_cuts(Index cells, const std::vector<double>& weights, Index least);

/// The decomposition after one adjustment: along every axis with several pieces their extents are
/// made proportional to their rates, planes by time (two devices: eq. 8 of the B2R paper, "Ghost
/// expansion", which this converges with where times are not proportional to extents). `seconds`
/// are, per patch, how long whoever computes it is busy with all patches it computes; a piece with
/// several patches takes the mean of theirs, weighted by their cells. `least`: the least that every
/// extent may be.
Decomposition balanced(const Decomposition& decomposition, const std::vector<double>& seconds,
                       Index least);

/// How much longer the slowest is busy than all are on average.
double imbalance_of(const std::vector<double>& seconds);

}  // namespace goban
