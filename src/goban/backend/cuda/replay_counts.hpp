#pragma once
// Recorded work of GPUs and of the host that waits for each other in every replay.

#include <map>
#include <memory>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/host/replay_counts.hpp"

namespace goban::cuda {

/// The counters that belong to one recording. Every GPU counts the replays in its memory and
/// compares that with counters of the host. Nothing of the recording is under way when this is made
/// or goes.
class ReplayCounts {
 public:
  ReplayCounts() = default;
  ~ReplayCounts();
  ReplayCounts(const ReplayCounts&) = delete;
  ReplayCounts& operator=(const ReplayCounts&) = delete;

  /// Adds a device, before the recording begins.
  void add(int device);
  /// First in the queue, where any of the following come. The device is current in all of them.
  void count_replay(int device, CUstream stream);
  /// What the queue gets from now on waits for work of the host, for ten minutes at most.
  void hold(int device, const std::shared_ptr<Counter>& count, CUstream stream);
  /// Counts when the queue has come that far.
  std::shared_ptr<Counter> post(int device, CUstream stream);

 private:
  unsigned long long* reached(const std::shared_ptr<Counter>& counter);

  std::map<int, unsigned long long*> replays_;             ///< per device, in its memory
  std::map<std::uintptr_t, std::shared_ptr<void>> pages_;  ///< that GPUs were let reach
  host::CounterPages posted_;
};

}  // namespace goban::cuda
