#pragma once
// Which cells of a patch a stage updates.

#include <vector>

#include "goban/grid/patches.hpp"
#include "goban/program/cycle.hpp"

namespace goban {

/// Local boxes that an instance updates on a patch: owned cells of its outputs, as far beyond as
/// needed on interior sides, cut to the stage's region and its periodic images.
std::vector<Box> updated_boxes(const Instance& instance, const Slots& slots,
                               const PatchGeometry& patch);

}  // namespace goban
