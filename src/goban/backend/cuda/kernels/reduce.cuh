#pragma once
// Reductions of the same cells in one launch, after the sweeps that make what they read. A thread
// walks some planes: at every place it stores what the sweeps make and adds up what the functors of
// the reductions return, exactly. A sum is kept as base/exact_sum.hpp keeps it, limb i counting
// units of 2^(32 i - 1074), so that every order of additions gives the same integers. The block
// that is last to finish hands the results to the host, or rounds them for the kernels that follow,
// and leaves zeros for the next reduction. Before it the generated text says: arguments `Arguments`
// with their `walk`, the constants pack_width, planes and reductions, a struct Part<n> of what a
// kernel of that sweep would say, of a reduction with its `kind`, what a thread has of all
// reductions, `Partials`, and the functions take_parts(arguments, walker, partials, limbs) and
// for_each_reduction(arguments, take).

#include "dependent_launch.cuh"
#include "reduction_parts.cuh"

extern "C" __global__ void __launch_bounds__(256)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  __shared__ uint64 limbs[reductions][state_size];  // of an extremum the first alone
  __shared__ bool is_last;
  let_next_launch();
  wait_for_launch_before();
  const ReductionWalk& w = a.walk;
  const int thread = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y), lane = thread % 32;
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  for (int i = thread; i < reductions * state_size; i += threads) (&limbs[0][0])[i] = 0;
  __syncthreads();
  Walker walker;
  Place& at = walker.at;
  at.fast = w.first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * pack_width;
  at.middle = w.low[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  walker.next = w.low[2] + static_cast<int>(blockIdx.z) * w.planes;
  walker.end = min(walker.next + w.planes, w.high[2]);
  walker.has_cells = at.fast < w.high[0] && at.middle < w.high[1];
  Partials partials;
  while (walker.next < walker.end) {
    at.slow = min(walker.next, w.high[2] - planes);  // some planes may have been added before
    take_parts(a, walker, partials, limbs);
    walker.next = at.slow + planes;
  }
  __syncwarp();
  partials.for_each([&](auto& partial, auto n) { partial.flush(limbs[n], lane); });
  __syncthreads();
  uint64* finished = nullptr;  // blocks
  for_each_reduction(a, [&](const ReductionView& r, auto n, auto kind) {
    hand_over<kind>(limbs[n], r.state + block % state_copies * state_size, thread, threads);
    if constexpr (n == 0) finished = r.state + state_copies * state_size;
  });
  __threadfence();
  __syncthreads();
  if (thread == 0) {
    is_last = atomicAdd(finished, 1ull) + 1 == 1ull * gridDim.x * gridDim.y * gridDim.z;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for_each_reduction(a, [&](const ReductionView& r, auto n, auto kind) {
    gather<kind>(r, limbs[n], thread, threads);
  });
  if (thread == 0) *finished = 0;
  __syncthreads();
  for_each_reduction(a, [&](const ReductionView& r, auto n, auto kind) {
    if (r.value && thread / 32 == n % (threads / 32)) round_result<kind>(limbs[n], r.value, lane);
  });
}
