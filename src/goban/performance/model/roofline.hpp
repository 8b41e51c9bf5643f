#pragma once
// The improved roofline model: how fast one device can be.

#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// F operations and B bytes, each at the device's peak rate, one after the other, and `alpha`
/// seconds for all else: F / F_peak + B / B_peak + alpha. Eq. (1) of Shimokawabe, Aoki and Onodera,
/// "Scalability model for multi-GPU computation of stencil applications".
constexpr double roofline_seconds(double operations, double bytes, double peak_operations,
                                  double peak_bandwidth, double alpha = 0) {
  return operations / peak_operations + bytes / peak_bandwidth + alpha;
}

/// The same as operations per second.
constexpr double roofline_rate(double operations, double bytes, double peak_operations,
                               double peak_bandwidth, double alpha = 0) {
  return operations / roofline_seconds(operations, bytes, peak_operations, peak_bandwidth, alpha);
}

}  // namespace goban
