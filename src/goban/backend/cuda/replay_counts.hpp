#pragma once
// Lets recorded work of GPUs and recorded work of the host wait for each other in every replay.

#include <map>
#include <memory>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/host/replay_counts.hpp"

namespace goban::cuda {

/// The counters of one recording. Every GPU counts replays in its memory and compares the count
/// with counters of the host. No work of the recording may be under way when this is made or
/// destroyed.
class ReplayCounts {
 public:
  ReplayCounts() = default;
  ~ReplayCounts();
  ReplayCounts(const ReplayCounts&) = delete;
  ReplayCounts& operator=(const ReplayCounts&) = delete;

  /// Adds a device. Must be called before the recording begins.
  void add(int device);
  /// Records the counting of replays. Must come first in the queue if any of the following are
  /// used. The device must be current in all three calls.
  void count_replay(int device, CUstream stream);
  /// Lets everything that the queue gets from now on wait for work of the host, for ten minutes at
  /// most.
  void hold(int device, const std::shared_ptr<Counter>& count, CUstream stream);
  /// Records that a counter counts when the queue has come this far, and returns the counter.
  std::shared_ptr<Counter> post(int device, CUstream stream);

 private:
  unsigned long long* reached(const std::shared_ptr<Counter>& counter);

  std::map<int, unsigned long long*> replays_;             ///< one per device, in its memory
  std::map<std::uintptr_t, std::shared_ptr<void>> pages_;  ///< pages that were opened to GPUs
  host::CounterPages posted_;
};

}  // namespace goban::cuda
