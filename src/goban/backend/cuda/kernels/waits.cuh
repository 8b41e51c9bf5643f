#pragma once
// Kernels by which queues wait: for those of other GPUs and for the host. Those that wait let
// nothing launch before they are done: what waits for others must not be kept from running by what
// waits for it.

#include "counters.cuh"
#include "turn.cuh"

namespace goban::device {

inline constexpr int most_queues = 32;  ///< a thread of one warp for each

/// Counters of a queue: how often each other has posted to it, and how many of their posts it has
/// waited for.
enum MeetingCounter { meeting_arrived, meeting_taken, meeting_counters };

struct Meeting {
  Counter* mine;                 ///< counters of the queue
  Counter* theirs[most_queues];  ///< where its posts arrive
  uint8 from[most_queues];
  int posts, waits;
};

inline constexpr int most_met = 128;  ///< ways of a meeting

/// The end that sends has one count beforehand, that its next message may be written.
struct MeetingOver {
  Ends ends[most_met];
  bool sends[most_met];
  int count;
  int padding;
};

}  // namespace goban::device

#if GOBAN_KERNEL

extern "C" __global__ void goban_meet(const __grid_constant__ goban::device::Meeting call) {
  using namespace goban::device;
  wait_for_turn();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < call.posts) count_up(call.theirs[thread]);
  __syncwarp();
  if (thread >= call.waits) return;
  wait_for_count(call.mine + meeting_arrived * most_queues + call.from[thread],
                 call.mine + meeting_taken * most_queues + call.from[thread]);
}

/// A thread for each way: both ends count up at the other and wait for that.
extern "C" __global__ void goban_meet_over(
    const __grid_constant__ goban::device::MeetingOver meeting) {
  using namespace goban::device;
  wait_for_turn();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < meeting.count) count_up(meeting.ends[thread].theirs + way_arrived);
  __syncthreads();
  if (thread >= meeting.count) return;
  Counter* const mine = meeting.ends[thread].mine;
  wait_until_counted(mine + way_arrived, mine[way_taken] + (meeting.sends[thread] ? 2 : 1));
  mine[way_taken] += 1;
}

/// Until the host has counted so far.
extern "C" __global__ void goban_wait_for_host(const goban::device::Counter* count,
                                               goban::device::Counter number) {
  goban::device::wait_for_turn();
  goban::device::wait_until_counted(count, number);
}

extern "C" __global__ void goban_count_replay(goban::device::Counter* replays) {
  goban::device::wait_for_turn();
  ++*replays;
}

/// Until the host has counted this replay.
extern "C" __global__ void goban_hold_replay(const goban::device::Counter* count,
                                             const goban::device::Counter* replays) {
  goban::device::wait_for_turn();
  goban::device::wait_until_counted(count, *replays);
}

/// The counter, in memory of the host, is nobody else's.
extern "C" __global__ void goban_post_replay(goban::device::Counter* count,
                                             const goban::device::Counter* replays) {
  goban::device::wait_for_turn();
  __threadfence_system();
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(count), "l"(*replays) : "memory");
}

#endif
