#pragma once
// Counters in the memory of GPUs by which queues wait for each other. They only grow.

#include <cuda_runtime.h>

namespace goban::cuda {

inline constexpr long long longest_wait = 600'000'000'000;  // nanoseconds

__device__ __forceinline__ void count_up(unsigned long long* counter) {
  asm volatile("red.release.sys.global.add.u64 [%0], 1;" ::"l"(counter) : "memory");
}

__device__ __forceinline__ unsigned long long seen(const unsigned long long* counter) {
  unsigned long long count;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(count) : "l"(counter) : "memory");
  return count;
}

__device__ __forceinline__ void wait_until_counted(const unsigned long long* counter,
                                                   unsigned long long wanted) {
  long long start = 0;
  while (seen(counter) < wanted) {
    long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (start == 0) start = now;
    if (now - start > longest_wait) __trap();
  }
}

/// Until the counter was counted up once more than has been waited for, which is `*taken` times.
__device__ __forceinline__ void wait_for_count(const unsigned long long* counter,
                                               unsigned long long* taken) {
  const unsigned long long wanted = *taken + 1;
  wait_until_counted(counter, wanted);
  *taken = wanted;
}

}  // namespace goban::cuda
