#pragma once
// A thread walks some planes and adds up what the functor returns, exactly: a sum is kept as
// base/exact_sum.hpp keeps it, limb i counting units of 2^(32 i - 1074), so that every order of
// additions gives the same integers.

#include "exact_sum.cuh"
#include "outputs.cuh"

extern "C" __global__ void __launch_bounds__(256)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  constexpr int N = pack_width;
  __shared__ uint64 limbs[state_size];
  const SweepCommon& c = a.common;
  const int thread = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y);
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const bool is_sum = c.reduction.kind == 0;
  for (int i = thread; i < state_size; i += threads) limbs[i] = 0;
  __syncthreads();
  Place at;
  at.fast = c.first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  at.middle = c.low[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  at.slow = c.low[2] + static_cast<int>(blockIdx.z) * c.planes;
  PartialSum sum;
  PartialExtremum extremum(c.reduction.kind == 1);
  if (at.fast < c.high[0] && at.middle < c.high[1]) {
    const int end = min(at.slow + c.planes, c.high[2]);
    for (; at.slow < end; ++at.slow) {
      Results results[1];
      evaluate(a, at, results);
      const Pack<double, N>& values = results[0].p0[0];
      const uint8* mask = c.mask.read;
      if (mask) {
        mask += at.fast + at.middle * static_cast<Index>(c.mask.middle) + at.slow * c.mask.slow;
      }
      unroll<N>([&](auto i) {
        if (at.fast + i < c.low[0] || at.fast + i >= c.high[0]) return;
        if (mask && mask[i] == 0) return;
        if (is_sum) {
          sum.add(values[i], limbs);
        } else {
          extremum.add(values[i]);
        }
      });
    }
  }
  __syncwarp();
  if (!is_sum) return extremum.flush(c.reduction.state);
  sum.flush(limbs);
  __syncthreads();
  for (int i = thread; i < state_size; i += threads) {
    const auto part = static_cast<uint64>(with_carries(limbs, i));
    if (part != 0) atomicAdd(c.reduction.state + i, part);
  }
}
