#include "goban/backend/cuda/transfer/queue_barriers.hpp"

#include <algorithm>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/kernels/waits.cuh"

namespace goban::cuda {

using device::most_queues, device::barrier_arrived;

bool QueueBarriers::are_possible(const std::vector<int>& devices) {
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

QueueBarriers::QueueBarriers(const std::vector<DeviceQueue>& queues) : queues_(queues) {
  for (const DeviceQueue& queue : queues_) {
    const OnDevice current(queue.device);
    constexpr std::size_t bytes =
        device::barrier_counters * most_queues * sizeof(unsigned long long);
    void* const memory = allocate(bytes, "allocating memory");
    counters_.push_back(static_cast<unsigned long long*>(memory));
    check(driver().cuMemsetD8(address(memory), 0, bytes), "clearing memory");
    check(driver().cuCtxSynchronize(), "clearing memory");
    WaitKernels::get().meet.here();  // is not to be loaded while queues wait
  }
}

QueueBarriers::~QueueBarriers() {
  for (unsigned long long* memory : counters_) free_memory(memory);
}

std::size_t QueueBarriers::index(const DeviceQueue& queue) const {
  return static_cast<std::size_t>(std::find(queues_.begin(), queues_.end(), queue) -
                                  queues_.begin());
}

void QueueBarriers::hold(const std::vector<Wait>& waits) {
  std::vector<device::QueueWait> calls(queues_.size());
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].mine = counters_[i];
  std::vector<Wait> held;
  for (const Wait& wait : waits) {
    if (std::find(held.begin(), held.end(), wait) != held.end()) continue;
    held.push_back(wait);
    const std::size_t who = index(wait.who), whom = index(wait.whom);
    device::QueueWait& post = calls[whom];
    post.theirs[post.posts++] = counters_[who] + barrier_arrived * most_queues + whom;
    device::QueueWait& receive = calls[who];
    receive.from[receive.waits++] = static_cast<unsigned char>(whom);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].posts + calls[i].waits == 0) continue;
    const OnDevice current(queues_[i].device);
    launch(WaitKernels::get().meet.here(), {{1}, {most_queues}}, queues_[i].stream,
           "waiting for its neighbours", calls[i]);
  }
}

void QueueBarriers::hold_all(const std::vector<DeviceQueue>& queues) {
  std::vector<Wait> waits;
  for (const DeviceQueue& who : queues) {
    for (const DeviceQueue& whom : queues) {
      if (who != whom) waits.push_back({who, whom});
    }
  }
  hold(waits);
}

}  // namespace goban::cuda
