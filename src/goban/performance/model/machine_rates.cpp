#include "goban/performance/model/machine_rates.hpp"

#include <cmath>

namespace goban {

double DeviceRates::beside(double instructions_alone, double bytes_alone) const {
  if (overlap_exponent == 1) return instructions_alone;
  const double all =
      std::pow(instructions_alone, overlap_exponent) + std::pow(bytes_alone, overlap_exponent);
  return std::pow(all, 1 / overlap_exponent) - bytes_alone;
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
  for (double& seconds : one.gather) seconds /= threads;
  for (double& seconds : one.sends) seconds /= threads;
  for (MemoryLevel& level : one.levels) {
    level.bandwidth *= threads;
    level.capacity *= threads;
  }
  return one;
}

}  // namespace goban
