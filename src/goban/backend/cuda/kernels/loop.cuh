#pragma once
// The end of a round of a loop that the device repeats by itself: the node of the graph that holds
// the loop runs its body again as long as it is told to.

#include "dependent_launch.cuh"

/// Known to the compiler (CUDA 12.4).
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

namespace goban::device {

/// `number`: null: rounds are counted alone.
__device__ inline bool is_over(const double* number, int is_below, double bound) {
  return number && (is_below ? *number < bound : *number > bound);
}

/// Whether the number is NaN: no round will change that.
__device__ inline bool is_lost(const double* number) { return number && *number != *number; }

}  // namespace goban::device

/// Begins a loop within another: finds out whether it has a round at all.
extern "C" __global__ void goban_enter_loop(unsigned long long loop, const double* number,
                                            int is_below, double bound, double* rounds,
                                            double* entered, double* missed, double mark) {
  using namespace goban::device;
  let_next_launch();
  wait_for_launch_before();
  const bool may_be = *missed == 0;
  if (may_be) {
    *rounds = 0;
    *entered += 1;
    if (is_lost(number)) *missed = mark;
  }
  cudaGraphSetConditional(loop, *missed == 0 && !is_over(number, is_below, bound) ? 1u : 0u);
}

/// `all_rounds`: null: the loop is not within another. See LoopEnd for `missed` and `mark`.
extern "C" __global__ void goban_end_round(unsigned long long loop, const double* number,
                                           int is_below, double bound, double* rounds,
                                           const double* most_rounds, double* all_rounds,
                                           double* missed, double mark) {
  using namespace goban::device;
  let_next_launch();
  wait_for_launch_before();
  *rounds += 1;
  if (all_rounds) *all_rounds += 1;
  bool goes_on = *missed == 0 && !is_over(number, is_below, bound);
  if (goes_on && (*rounds >= *most_rounds || is_lost(number))) {
    goes_on = false;
    if (mark != 0) *missed = mark;
  }
  cudaGraphSetConditional(loop, goes_on ? 1u : 0u);
}
