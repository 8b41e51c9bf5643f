#pragma once
// Lets queues of a GPU wait for work of the host without the host taking part.

#include <map>
#include <memory>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

class HostWaits {
 public:
  HostWaits() = default;
  ~HostWaits();
  HostWaits(const HostWaits&) = delete;
  HostWaits& operator=(const HostWaits&) = delete;

  /// Lets everything that the queue gets from now on wait until the counter has reached its number.
  /// A GPU that waits for ten minutes gives up with an error.
  void hold(const HostCount& count, CUstream stream);

 private:
  /// The counters that were opened to the GPU, which must live as long as this.
  std::map<const HostCount::Cell*, std::shared_ptr<HostCount::Cell>> reached_;
};

}  // namespace goban::cuda
