#pragma once
// The shear of walls on their surface, over time.

#include <functional>
#include <memory>
#include <vector>

#include "goban/geometry/cell_place.hpp"
#include "goban/geometry/vessel.hpp"
#include "goban/simulation/output/output.hpp"

namespace goban::blood {

/// The three components of the shear of a wall, one after the other, at cells; collective.
using ShearAt = std::function<std::vector<double>(const std::vector<RimCell>& cells)>;

/// Takes a sample of the shear t of walls [Pa] whenever it is due, and writes with snapshots and at
/// the end, as VTK PolyData <case>_surface.0000100.vtp, a point for each cell beside the wall, at
/// the nearest point of it: normal, t, mean of t, mean of |t| and the oscillatory shear index
/// (1 - |mean of t| / mean of |t|) / 2 (He, Ku, J. Biomech. Eng. 118 (1996) 74) over the samples.
std::unique_ptr<SimulationOutput> surface_output(AnyField shear, ShearAt shear_at,
                                                 const Vessel& vessel, const CellPlace& place,
                                                 When when);

}  // namespace goban::blood
