#pragma once
// Slip on a fault as a moment tensor.

#include <array>

#include "goban/base/types.hpp"

namespace goban::seismic {

/// xx yy zz xy xz yz of slip on a plane of `angles` = {strike, dip, rake} in degrees and of a
/// scalar moment: x north, y east, z down. Strike from the north to the east, dip from the
/// horizontal to the right of strike, rake in the plane from strike upwards (Aki, Richards,
/// Quantitative Seismology, 2nd ed., box 4.4).
std::array<double, 6> double_couple(const Real3& angles, double moment);

/// N m, of the moment magnitude: 10^(1.5 M_w + 9.1) (IASPEI 2005).
double moment_of_magnitude(double magnitude);

}  // namespace goban::seismic
