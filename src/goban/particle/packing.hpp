#pragma once
// Many bodies at random that do not overlap.

#include <optional>

#include "goban/grid/grid.hpp"
#include "goban/particle/body.hpp"

namespace goban {

struct PackingOptions {
  double hematocrit = 0.2;  ///< part of the region that is bodies
  std::uint64_t seed = 1;
  double gap = 0.05;               ///< at least, between surfaces, nodes
  std::optional<Box> region = {};  ///< all of each body lies in it; none: the grid, around its
                                   ///< periodic axes
};

/// Bodies of one shape at random places with random orientations, pushed apart until none overlap.
/// The same on every rank and machine; the number of bodies is the nearest to the hematocrit. In a
/// grid of active cells it is that of these, and all nodes in a body are active: a crowd of a small
/// box is repeated, of which those that are wanted are pushed apart and away from walls.
/// Errors (usage): a region without cells; so many that they could not be kept apart.
std::vector<Body> packed(const Grid& grid, const BodyShape& shape,
                         const PackingOptions& options = {});

}  // namespace goban
