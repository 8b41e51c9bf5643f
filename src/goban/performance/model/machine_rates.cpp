#include "goban/performance/model/machine_rates.hpp"

#include <cmath>
#include <utility>

namespace goban {

double DeviceRates::beside(double operations, double reads, double bytes) const {
  if (is_gpu) operations += std::exchange(reads, 0);
  const double p = overlap_exponent;
  const double powers = std::pow(operations, p) + std::pow(reads, p) + std::pow(bytes, p);
  return std::pow(powers, 1 / p) - bytes;
}

double DeviceRates::bandwidth(double working_set) const {
  for (const MemoryLevel& level : levels) {
    if (working_set <= level.capacity) return level.bandwidth;
  }
  return memory_bandwidth();
}

double DeviceRates::lanes(double row_bytes) const {
  constexpr double bytes_of_thread = 16, warp = 32;
  const double threads = std::ceil(row_bytes / bytes_of_thread);
  if (!is_gpu || threads <= warp) return 1;  // those beyond short rows take the next ones
  return threads / (warp * std::ceil(threads / warp));
}

DeviceRates times_threads(DeviceRates one, int threads) {
  for (double& rate : one.operations) rate *= threads;
  for (double& rate : one.reads) rate *= threads;
  one.row /= threads;
  for (double& seconds : one.gather) seconds /= threads;
  for (double& seconds : one.sends) seconds /= threads;
  for (MemoryLevel& level : one.levels) {
    level.bandwidth *= threads;
    level.capacity *= threads;
  }
  return one;
}

}  // namespace goban
