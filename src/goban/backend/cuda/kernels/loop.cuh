#pragma once
// The end of a round of a loop that the device repeats by itself: the node of the graph that holds
// the loop runs its body again as long as it is told to.

#include "dependent_launch.cuh"

/// Known to the compiler (CUDA 12.4).
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

/// `number`: null: there are just so many rounds.
extern "C" __global__ void goban_end_round(unsigned long long loop, const double* number,
                                           int is_below, double bound, double* rounds,
                                           const double* most_rounds) {
  using namespace goban::device;
  let_next_launch();
  wait_for_launch_before();
  *rounds += 1;
  const bool is_over = number && (is_below ? *number < bound : *number > bound);
  cudaGraphSetConditional(loop, !is_over && *rounds < *most_rounds ? 1u : 0u);
}
