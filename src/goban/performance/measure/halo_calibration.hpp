#pragma once
// What halos take: of ghosts that are filled, and of values that sweeps send to the other side.

#include "goban/performance/measure/calibration_sweeps.hpp"

namespace goban {

/// Measures thin halos and (on GPUs) deep ones, of small grids and of large ones of at most so many
/// bytes, and puts into these rates: `gather`, `gather_row`, `gather_in_rows`, `end_sends`,
/// `plane_sends`, `byte_sends` and `double_sends`. The bandwidth of the memory is to be known.
void measure_halos(DeviceRates& device, const SweepMeter& meter, double most_bytes);

}  // namespace goban
