#pragma once
// Lets queues of several GPUs wait for each other without the host and without events. Events
// between devices cost ten times as much as within one.

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

/// Every queue counts what it has posted to each other queue, in the memory of the queue that
/// waits. Counts only grow, so that recorded work can run again and again.
class QueueBarriers {
 public:
  /// Returns whether all these GPUs can access each other's memory and none is named twice; a GPU
  /// that waits for itself might wait forever.
  static bool are_possible(const std::vector<int>& devices);

  explicit QueueBarriers(const std::vector<DeviceQueue>& queues);
  ~QueueBarriers();
  QueueBarriers(const QueueBarriers&) = delete;
  QueueBarriers& operator=(const QueueBarriers&) = delete;

  struct Wait {
    DeviceQueue who, whom;
    bool operator==(const Wait&) const = default;
  };
  /// Lets everything that each `who` gets from now on wait for what its `whom` has got so far. A
  /// GPU that waits for ten minutes, for one that has died, gives up with an error.
  void hold(const std::vector<Wait>& waits);
  /// Lets all these queues wait for each other.
  void hold_all(const std::vector<DeviceQueue>& queues);

 private:
  std::size_t index(const DeviceQueue& queue) const;

  std::vector<DeviceQueue> queues_;
  std::vector<unsigned long long*> counters_;  ///< one per queue, in its device's memory
};

}  // namespace goban::cuda
