#pragma once
// Counters in the memory of GPUs by which queues wait for each other. They only grow.

#include "goban/backend/kernels/types.hpp"

namespace goban::device {

using Counter = uint64;

/// The counters of two ends of a way, at the end that is meant and at the other; how often the
/// other has handed over, how often this one has waited for that, how many blocks have copied their
/// part of the present message.
struct Ends {
  Counter* mine;
  Counter* theirs;
  Counter blocks;  ///< how many blocks copy the message
};
enum PathCounter { path_arrived, path_taken, path_copied, path_counters };

#if GOBAN_KERNEL

inline constexpr long long longest_wait = 600'000'000'000;  // nanoseconds

GOBAN_DEVICE void count_up(Counter* counter) {
  asm volatile("red.release.sys.global.add.u64 [%0], 1;" ::"l"(counter) : "memory");
}

GOBAN_DEVICE Counter seen(const Counter* counter) {
  Counter count;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(count) : "l"(counter) : "memory");
  return count;
}

GOBAN_DEVICE void wait_until_counted(const Counter* counter, Counter wanted) {
  long long start = 0;
  while (seen(counter) < wanted) {
    long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (start == 0) start = now;
    if (now - start > longest_wait) __trap();
  }
}

/// Waits until the counter was counted up once more than has been waited for, which is `*taken`
/// times.
GOBAN_DEVICE void wait_for_count(const Counter* counter, Counter* taken) {
  const Counter wanted = *taken + 1;
  wait_until_counted(counter, wanted);
  *taken = wanted;
}

#endif

}  // namespace goban::device
