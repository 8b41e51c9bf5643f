#include "goban/backend/cuda/meetings.hpp"

#include <algorithm>

#include "goban/backend/cuda/kernel_launch.hpp"
#include "goban/backend/cuda/kernels/waits.cuh"
#include "goban/backend/cuda/own_kernels.hpp"

namespace goban::cuda {

using device::most_queues, device::meeting_arrived;

bool Meetings::can_be_held(const std::vector<int>& devices) {
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = 0; b < devices.size(); ++b) {
      if (a == b) continue;
      int reaches = 0;
      if (devices[a] == devices[b]) return false;
      check(driver().cuDeviceCanAccessPeer(&reaches, devices[a], devices[b]),
            "looking for its neighbours");
      if (reaches == 0) return false;
    }
  }
  return 2 * devices.size() <= most_queues;
}

Meetings::Meetings(const std::vector<DeviceQueue>& queues) : queues_(queues) {
  for (const DeviceQueue& queue : queues_) {
    const OnDevice current(queue.device);
    constexpr std::size_t bytes =
        device::meeting_counters * most_queues * sizeof(unsigned long long);
    void* const memory = allocate(bytes, "allocating memory");
    counters_.push_back(static_cast<unsigned long long*>(memory));
    check(driver().cuMemsetD8(address(memory), 0, bytes), "clearing memory");
    check(driver().cuCtxSynchronize(), "clearing memory");
    WaitKernels::get().meet.here();  // is not to be loaded while queues wait
  }
}

Meetings::~Meetings() {
  for (unsigned long long* memory : counters_) free_memory(memory);
}

std::size_t Meetings::index(const DeviceQueue& queue) const {
  return static_cast<std::size_t>(std::find(queues_.begin(), queues_.end(), queue) -
                                  queues_.begin());
}

void Meetings::hold(const std::vector<Wait>& waits) {
  std::vector<device::Meeting> calls(queues_.size());
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].mine = counters_[i];
  std::vector<Wait> held;
  for (const Wait& wait : waits) {
    if (std::find(held.begin(), held.end(), wait) != held.end()) continue;
    held.push_back(wait);
    const std::size_t who = index(wait.who), whom = index(wait.whom);
    device::Meeting& post = calls[whom];
    post.theirs[post.posts++] = counters_[who] + meeting_arrived * most_queues + whom;
    device::Meeting& receive = calls[who];
    receive.from[receive.waits++] = static_cast<unsigned char>(whom);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].posts + calls[i].waits == 0) continue;
    const OnDevice current(queues_[i].device);
    launch(WaitKernels::get().meet.here(), {{1}, {most_queues}}, queues_[i].stream,
           "meeting its neighbours", calls[i]);
  }
}

void Meetings::hold_all(const std::vector<DeviceQueue>& queues) {
  std::vector<Wait> waits;
  for (const DeviceQueue& who : queues) {
    for (const DeviceQueue& whom : queues) {
      if (who != whom) waits.push_back({who, whom});
    }
  }
  hold(waits);
}

}  // namespace goban::cuda
