#include <algorithm>

#include "goban/backend/cuda/counters.cuh"
#include "goban/backend/cuda/meetings.cuh"
#include "goban/backend/cuda/runtime_calls.cuh"
#include "goban/backend/cuda/turn.cuh"

namespace goban::cuda {
namespace {

constexpr int most_queues = 32;  ///< a thread of one warp for each

/// Counters of a queue: how often each other has posted to it, and how many of their posts it has
/// waited for.
enum Part { arrived, taken, parts };

struct Call {
  unsigned long long* mine;                 ///< counters of the queue
  unsigned long long* theirs[most_queues];  ///< where its posts arrive
  unsigned char from[most_queues];
  int posts, waits;
};

/// Lets nothing launch before it is done: what waits for others must not be kept from running by
/// what waits for it.
__global__ void meet_kernel(const __grid_constant__ Call call) {
  wait_for_turn();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < call.posts) {
    count_up(call.theirs[thread]);
  }
  __syncwarp();
  if (thread >= call.waits) return;
  wait_for_count(call.mine + arrived * most_queues + call.from[thread],
                 call.mine + taken * most_queues + call.from[thread]);
}

}  // namespace

bool Meetings::can_be_held(const std::vector<int>& devices) {
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = 0; b < devices.size(); ++b) {
      if (a == b) continue;
      int reaches = 0;
      if (devices[a] == devices[b]) return false;
      check(cudaDeviceCanAccessPeer(&reaches, devices[a], devices[b]),
            "looking for its neighbours");
      if (reaches == 0) return false;
    }
  }
  return 2 * devices.size() <= most_queues;
}

Meetings::Meetings(const std::vector<DeviceQueue>& queues) : queues_(queues) {
  for (const DeviceQueue& queue : queues_) {
    const OnDevice current(queue.device);
    constexpr std::size_t bytes = parts * most_queues * sizeof(unsigned long long);
    unsigned long long* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "allocating memory");
    counters_.push_back(memory);
    check(cudaMemset(memory, 0, bytes), "clearing memory");
    check(cudaDeviceSynchronize(), "clearing memory");
  }
}

Meetings::~Meetings() {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const OnDevice current(queues_[i].device);
    cudaFree(counters_[i]);
  }
}

std::size_t Meetings::index(const DeviceQueue& queue) const {
  return static_cast<std::size_t>(std::find(queues_.begin(), queues_.end(), queue) -
                                  queues_.begin());
}

void Meetings::hold(const std::vector<Wait>& waits) {
  std::vector<Call> calls(queues_.size());
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].mine = counters_[i];
  std::vector<Wait> held;
  for (const Wait& wait : waits) {
    if (std::find(held.begin(), held.end(), wait) != held.end()) continue;
    held.push_back(wait);
    const std::size_t who = index(wait.who), whom = index(wait.whom);
    Call& post = calls[whom];
    post.theirs[post.posts++] = counters_[who] + arrived * most_queues + whom;
    Call& receive = calls[who];
    receive.from[receive.waits++] = static_cast<unsigned char>(whom);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].posts + calls[i].waits == 0) continue;
    const OnDevice current(queues_[i].device);
    launch_in_turn(&meet_kernel, 1, most_queues, 0, queues_[i].stream, calls[i]);
    check(cudaGetLastError(), "meeting its neighbours");
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
