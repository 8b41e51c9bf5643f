#include "goban/performance/model/scalability.hpp"

#include <algorithm>

namespace goban {

std::vector<HaloPath> staged_paths(const LinkModel& network, const LinkModel& bus, int devices) {
  return {{network, 2.0 * devices}, {bus, 2}};
}

double halo_seconds(const HaloTraffic& traffic) {
  double seconds = 0;
  for (const double bytes : traffic.messages) {
    for (const HaloPath& path : traffic.paths) {
      seconds += path.sharing * (path.link.latency + bytes / path.link.bytes_per_second);
    }
  }
  return seconds;
}

double rate_without_overlap(double devices, double operations, double rate, double halo_seconds) {
  return operations * devices / (operations / rate + halo_seconds);
}

double rate_with_overlap(double devices, double operations, double rate, double halo_seconds) {
  return operations * devices / std::max(operations / rate, halo_seconds);
}

}  // namespace goban
