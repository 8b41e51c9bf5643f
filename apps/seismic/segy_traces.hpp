#pragma once
// Traces of many receivers in one file: SEG-Y revision 2.0, big endian, IEEE floats.

#include <optional>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban::seismic {

/// One component at all receivers, evenly sampled.
struct SegyGather {
  struct Trace {
    Real3 position{};  ///< m; z is the depth
    std::vector<double> values;
  };
  std::string title;               ///< a line of text
  Axis axis = Axis::x;             ///< axis of the component
  double begin = 0, interval = 1;  ///< s
  std::optional<Real3> source;     ///< m
  std::vector<Trace> traces;       ///< with as many values each
};

/// The whole file. The interval is there in whole microseconds and, as revision 2 has it, as a
/// float64. Positions are in the finest unit down to 0.1 mm that all of them fit into, X and Y
/// those of the grid, elevations upwards; distances from the source are in whole metres.
std::string segy_bytes(const SegyGather& gather);

/// Why so many samples of such a gather would be misread: the interval in whole microseconds drifts
/// by more than a hundredth of it, or positions lie closer than their unit tells. Empty: they would
/// not.
std::string why_not_segy(const SegyGather& gather, Index samples);

}  // namespace goban::seismic
