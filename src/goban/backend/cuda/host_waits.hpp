#pragma once
// Queues of a GPU that wait for work of the host, without the host.

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

  /// What the queue gets from now on waits until the count has reached its number. A GPU that waits
  /// for ten minutes gives up with an error.
  void hold(const HostCount& count, CUstream stream);

 private:
  /// Cells that the GPU was let reach, which must live as long.
  std::map<const HostCount::Cell*, std::shared_ptr<HostCount::Cell>> reached_;
};

}  // namespace goban::cuda
