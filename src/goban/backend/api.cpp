#include "goban/backend/api.hpp"

#include <stdexcept>

namespace goban {

Event::~Event() = default;
Executor::~Executor() = default;
Recording::~Recording() = default;
Recorder::~Recorder() = default;
DeviceLoops::~DeviceLoops() = default;
KernelCompiler::~KernelCompiler() = default;
SweepBundles::~SweepBundles() = default;
BodyKernels::~BodyKernels() = default;
TemporalBlocking::~TemporalBlocking() = default;
EventTimes::~EventTimes() = default;
DeviceBarriers::~DeviceBarriers() = default;
HostReach::~HostReach() = default;
DeviceMemory::~DeviceMemory() = default;
GuestWork::~GuestWork() = default;
PeerPath::~PeerPath() = default;
PeerDevices::~PeerDevices() = default;
DeviceGroup::~DeviceGroup() = default;
DeviceGrouping::~DeviceGrouping() = default;

std::chrono::steady_clock::time_point Event::completed() const {
  throw std::logic_error("the event keeps no time");
}

void meet(const std::vector<QueueWait>& all) {
  if (DeviceBarriers* const barriers = all.front().executor->barriers()) return barriers->meet(all);
  for (const QueueWait& one : all) one.executor->mark({one.stream, one.waits});
}

}  // namespace goban
