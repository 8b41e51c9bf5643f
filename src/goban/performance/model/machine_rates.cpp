#include "goban/performance/model/machine_rates.hpp"

#include <cmath>

namespace goban {

double DeviceRates::beside(double operations_alone, double bytes_alone) const {
  if (overlap_exponent == 1) return operations_alone;
  const double all =
      std::pow(operations_alone, overlap_exponent) + std::pow(bytes_alone, overlap_exponent);
  return std::pow(all, 1 / overlap_exponent) - bytes_alone;
}

double DeviceRates::bandwidth(double working_set) const {
  for (const MemoryLevel& level : levels) {
    if (working_set <= level.capacity) return level.bandwidth;
  }
  if (!is_gpu || levels.size() < 2) return memory_bandwidth();
  const MemoryLevel& cache = levels[levels.size() - 2];
  const double held = cache.capacity / working_set;
  return 1 / (held / cache.bandwidth + (1 - held) / memory_bandwidth());
}

DeviceRates times_threads(DeviceRates one, int threads) {
  for (double& rate : one.operations) rate *= threads;
  for (double& rate : one.reads) rate *= threads;
  for (double& seconds : one.gather) seconds /= threads;
  for (MemoryLevel& level : one.levels) {
    level.bandwidth *= threads;
    level.capacity *= threads;
  }
  return one;
}

}  // namespace goban
