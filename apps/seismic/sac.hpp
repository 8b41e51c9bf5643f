#pragma once
// Traces in the format of SAC, the Seismic Analysis Code: little endian, header version 6, evenly
// sampled.

#include <optional>
#include <string>
#include <vector>

#include "goban/base/types.hpp"

namespace goban::seismic {

/// What SAC keeps of the name of a station: 8 characters.
std::string sac_station(const std::string& name);

/// x is north, y east, z down.
struct SacTrace {
  enum class Quantity { velocity, displacement };
  Quantity quantity = Quantity::velocity;
  Axis axis = Axis::x;
  std::string station, event;      ///< SAC keeps 8 and 16 characters
  Real3 position{};                ///< position of the station, m
  std::optional<Real3> source;     ///< m; its distance and direction are told with it
  double begin = 0, interval = 1;  ///< s
  std::vector<double> values;      ///< m/s or m (SAC's own convention are nm)

  /// "VX" ... "UZ".
  std::string component() const;
};

/// The whole file: 632 bytes of header, the values as float32. What it does not know has SAC's
/// value for that; positions that are no latitudes and longitudes are USER0-2 (station) and USER3-5
/// (source), in m.
std::string sac_bytes(const SacTrace& trace);

}  // namespace goban::seismic
