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
  constexpr double room = 4.0 / 3;  // of what is a little larger than a GPU's cache a part stays
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const auto& [capacity, bandwidth] = levels[l];
    if (working_set <= capacity) return bandwidth;
    if (!is_gpu || working_set >= room * capacity) continue;
    const double outside = (working_set / capacity - 1) / (room - 1);
    return 1 / ((1 - outside) / bandwidth + outside / levels[l + 1].bandwidth);
  }
  return memory_bandwidth();
}

double DeviceRates::send_at_end(std::size_t bytes) const {
  const double own = bytes == 1 ? byte_sends : bytes == sizeof(double) ? double_sends : 0;
  return own > 0 ? own : end_sends;
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
  for (double* seconds : {&one.gather, &one.gather_row, &one.gather_in_rows, &one.end_sends,
                          &one.plane_sends, &one.byte_sends, &one.double_sends}) {
    *seconds /= threads;
  }
  for (MemoryLevel& level : one.levels) {
    level.bandwidth *= threads;
    level.capacity *= threads;
  }
  return one;
}

}  // namespace goban
