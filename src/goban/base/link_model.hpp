#pragma once
// How slow the way from one rank to another is.

#include <limits>

namespace goban {

/// A message counts as arrived at max(sent, link free) + latency + bytes / bytes_per_second.
struct LinkModel {
  double latency = 0;  ///< seconds
  double bytes_per_second = std::numeric_limits<double>::infinity();

  bool is_slow() const {
    return latency > 0 || bytes_per_second < std::numeric_limits<double>::infinity();
  }
};

}  // namespace goban
