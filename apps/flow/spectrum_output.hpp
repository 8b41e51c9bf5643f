#pragma once
// How much energy waves of each length hold, as a file now and then.

#include <memory>
#include <vector>

#include "goban/simulation/output/output.hpp"

namespace goban::flow {

/// Writes <name>_spectrum.0000100.csv: wave number k [1/m], energy density E(k) [m3/s2] whose
/// integral over k is half the mean square of the velocity; shells as spectrum_of() has them.
/// `velocity`: fields of one component. Errors: of require_spectrum().
std::unique_ptr<SimulationOutput> spectrum_output(std::vector<AnyField> velocity, When when);

}  // namespace goban::flow
