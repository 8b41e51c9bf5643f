#include "goban/performance/model/machine_rates.hpp"

namespace goban {

double DeviceRates::bandwidth(double working_set) const {
  for (const MemoryLevel& level : levels) {
    if (working_set <= level.capacity) return level.bandwidth;
  }
  return memory_bandwidth();
}

DeviceRates times_threads(DeviceRates one, int threads) {
  for (double& rate : one.operations) rate *= threads;
  for (MemoryLevel& level : one.levels) {
    level.bandwidth *= threads;
    level.capacity *= threads;
  }
  return one;
}

}  // namespace goban
