#pragma once
// Kernels by which queues wait: for those of other GPUs and for the host. Those that wait let
// nothing launch before they are done: what waits for others must not be kept from running by what
// waits for it.

#include "counters.cuh"
#include "dependent_launch.cuh"

namespace goban::device {

inline constexpr int most_queues = 32;  ///< a thread of one warp for each

/// Counters of a queue: how often each other has posted to it, and how many of their posts it has
/// waited for.
enum BarrierCounter { barrier_arrived, barrier_taken, barrier_counters };

struct QueueWait {
  Counter* mine;                 ///< counters of the queue
  Counter* theirs[most_queues];  ///< where its posts arrive
  uint8 from[most_queues];
  int posts, waits;
};

inline constexpr int most_met = 128;  ///< paths of a barrier

/// The end that sends has one count beforehand, that its next message may be written.
struct BarrierOver {
  Ends ends[most_met];
  bool sends[most_met];
  int count;
  int padding;
};

}  // namespace goban::device

#if GOBAN_KERNEL

extern "C" __global__ void goban_meet(const __grid_constant__ goban::device::QueueWait call) {
  using namespace goban::device;
  wait_for_launch_before();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < call.posts) count_up(call.theirs[thread]);
  __syncwarp();
  if (thread >= call.waits) return;
  wait_for_count(call.mine + barrier_arrived * most_queues + call.from[thread],
                 call.mine + barrier_taken * most_queues + call.from[thread]);
}

/// A thread for each way: both ends count up at the other and wait for that.
extern "C" __global__ void goban_meet_over(
    const __grid_constant__ goban::device::BarrierOver barrier) {
  using namespace goban::device;
  wait_for_launch_before();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < barrier.count) count_up(barrier.ends[thread].theirs + path_arrived);
  __syncthreads();
  if (thread >= barrier.count) return;
  Counter* const mine = barrier.ends[thread].mine;
  wait_until_counted(mine + path_arrived, mine[path_taken] + (barrier.sends[thread] ? 2 : 1));
  mine[path_taken] += 1;
}

/// Waits until the host has counted so far.
extern "C" __global__ void goban_wait_for_host(const goban::device::Counter* count,
                                               goban::device::Counter number) {
  goban::device::wait_for_launch_before();
  goban::device::wait_until_counted(count, number);
}

extern "C" __global__ void goban_count_replay(goban::device::Counter* replays) {
  goban::device::wait_for_launch_before();
  ++*replays;
}

/// Waits until the host has counted this replay.
extern "C" __global__ void goban_hold_replay(const goban::device::Counter* count,
                                             const goban::device::Counter* replays) {
  goban::device::wait_for_launch_before();
  goban::device::wait_until_counted(count, *replays);
}

/// The counter, in memory of the host, is nobody else's.
extern "C" __global__ void goban_post_replay(goban::device::Counter* count,
                                             const goban::device::Counter* replays) {
  goban::device::wait_for_launch_before();
  __threadfence_system();
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(count), "l"(*replays) : "memory");
}

#endif
