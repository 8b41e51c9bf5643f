#pragma once
// Queues of several GPUs that wait for each other without the host and without events, which cost
// ten times as much between devices as within one.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

/// One queue of one GPU.
struct DeviceQueue {
  int device = 0;
  CUstream stream = nullptr;
  auto operator<=>(const DeviceQueue&) const = default;
};

/// Every queue counts what it has posted to each other queue, in the memory of the one that waits.
/// Counts only grow, so that recorded work can run again and again.
class QueueBarriers {
 public:
  /// Whether all these GPUs reach each other's memory and none is named twice: one that waits for
  /// itself may wait forever.
  static bool are_possible(const std::vector<int>& devices);

  explicit QueueBarriers(const std::vector<DeviceQueue>& queues);
  ~QueueBarriers();
  QueueBarriers(const QueueBarriers&) = delete;
  QueueBarriers& operator=(const QueueBarriers&) = delete;

  struct Wait {
    DeviceQueue who, whom;
    bool operator==(const Wait&) const = default;
  };
  /// What each `who` gets from now on waits for what each `whom` has got so far. A GPU that waits
  /// for ten minutes, for one that has died, gives up with an error.
  void hold(const std::vector<Wait>& waits);
  /// Queues that get work from `queues` wait for each other.
  void hold_all(const std::vector<DeviceQueue>& queues);

 private:
  std::size_t index(const DeviceQueue& queue) const;

  std::vector<DeviceQueue> queues_;
  std::vector<unsigned long long*> counters_;  ///< per queue, in its device's memory
};

}  // namespace goban::cuda
