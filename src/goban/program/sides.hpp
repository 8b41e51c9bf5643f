#pragma once
// Sides of patches where something is in flight, and the cells that lie away from them.

#include <array>

#include "goban/grid/patches.hpp"
#include "goban/program/cycle.hpp"

namespace goban {

using Sides = std::array<std::array<bool, 2>, 3>;  ///< low and high of every axis
inline constexpr Sides all_sides{{{true, true}, {true, true}, {true, true}}};

/// Where halos come from other patches; what a patch makes of its own cells is there at once.
Sides sides_of_others(const PatchGeometry& patch);

/// Where what lies within a patch is sent on or mirrored: not where what lies beyond the ends of an
/// axis is constant.
Sides sides_that_are_read(const PatchGeometry& patch, const std::array<bool, 3>& is_constant);

/// How far an instance reads these versions to each side.
Extents reach_of(const Instance& instance, const std::vector<int>& versions);

/// All these versions are constant beyond the ends of an axis, for what the instance makes. Sweeps
/// over faces see the cell beyond the last one, so what they update in place is done there before
/// it is filled.
std::array<bool, 3> is_constant_beyond(const Cycle& cycle, const Slots& slots, int instance,
                                       const std::vector<int>& versions);

/// How deep inside a patch lies what its neighbours get of these versions.
Extents layers_sent(const Cycle& cycle, const std::vector<int>& versions);

/// The cells of `box` that lie `by` away from those sides of a patch that are marked; none where
/// that cuts rows that must stay whole.
Box away_from(const Sides& sides, const Extents& by, Box box, const PatchGeometry& patch,
              const std::array<int, 3>& order, bool keeps_rows);

}  // namespace goban
