#pragma once
// A thread walks some planes and adds up what the functor returns, exactly: a sum is kept as
// base/exact_sum.hpp keeps it, limb i counting units of 2^(32 i - 1074), so that every order of
// additions gives the same integers. The block that is last to finish hands the result to the host,
// or rounds it for the kernels that follow, and leaves zeros for the next reduction.

#include "exact_sum.cuh"
#include "outputs.cuh"
#include "turn.cuh"

extern "C" __global__ void __launch_bounds__(256)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  constexpr int N = pack_width;
  __shared__ uint64 limbs[state_size];  // of an extremum the first alone
  __shared__ bool is_last;
  let_next_launch();
  wait_for_turn();
  const SweepCommon& c = a.common;
  const ReductionView& r = c.reduction;
  const int thread = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y), lane = thread % 32;
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const bool is_sum = r.kind == 0;
  for (int i = thread; i < state_size; i += threads) limbs[i] = 0;
  __syncthreads();
  Place at;
  at.fast = c.first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  at.middle = c.low[1] + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  int next = c.low[2] + static_cast<int>(blockIdx.z) * c.planes;
  PartialSum sum;
  PartialExtremum extremum(r.kind == 1);
  // Lanes of a warp walk together, those without cells, too.
  const bool has_cells = at.fast < c.high[0] && at.middle < c.high[1];
  for (const int end = min(next + c.planes, c.high[2]); next < end;) {
    at.slow = min(next, c.high[2] - planes);  // some planes may have been added before
    Results results[planes];
    if (has_cells) evaluate(a, at, results);
    const auto for_each_term = [&](auto&& take) {
      if (!has_cells) return;
      unroll<planes>([&](auto plane) {
        if (at.slow + plane < next || at.slow + plane >= end) return;
        const Pack<double, N>& values = results[plane].p0[0];
        const uint8* mask = c.mask.read;
        if (mask) {
          mask += at.fast + at.middle * static_cast<Index>(c.mask.middle) +
                  (at.slow + plane) * c.mask.slow;
        }
        unroll<N>([&](auto i) {
          if (at.fast + i < c.low[0] || at.fast + i >= c.high[0]) return;
          if (mask && mask[i] == 0) return;
          take(values[i]);
        });
      });
    };
    if (!is_sum) {
      for_each_term([&](double term) { extremum.add(term); });
    } else {
      if (sum.is_open()) {
        int limb = -1;
        for_each_term([&](double term) { limb = max(limb, limb_of(term)); });
        sum.begin(most_of_warp(limb));
      }
      for_each_term([&](double term) { sum.add(term, limbs); });
    }
    next = at.slow + planes;
  }
  __syncwarp();
  if (is_sum) {
    sum.flush(limbs, lane);
  } else {
    extremum.flush(limbs, lane);
  }
  __syncthreads();
  if (is_sum) {
    for (int i = thread; i < state_size; i += threads) {
      const auto part = static_cast<uint64>(with_carries(limbs, i));
      if (part != 0) atomicAdd(r.state + i, part);
    }
  } else if (thread == 0) {
    atomicMax(r.state, limbs[0]);
  }
  uint64* const finished = r.state + state_size;  // blocks
  __threadfence();
  __syncthreads();
  if (thread == 0) {
    is_last = atomicAdd(finished, 1ull) + 1 == 1ull * gridDim.x * gridDim.y * gridDim.z;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for (int i = thread; i < state_size; i += threads) {
    const uint64 part = atomicExch(r.state + i, 0ull);
    (r.value ? limbs : r.result)[i] = part;
  }
  if (thread == 0) *finished = 0;
  if (!r.value) return;
  __syncthreads();
  if (thread >= 32) return;
  int lowest = limb_count, highest = -1;
  for (int i = lane; i < limb_count; i += 32) {
    if (limbs[i] == 0) continue;
    lowest = min(lowest, i);
    highest = max(highest, i);
  }
  for (int step = 16; step > 0; step /= 2) {
    lowest = min(lowest, __shfl_xor_sync(0xffffffffu, lowest, step));
    highest = max(highest, __shfl_xor_sync(0xffffffffu, highest, step));
  }
  if (lane > 0) return;
  *r.value = is_sum ? value_of_sum(reinterpret_cast<int64*>(limbs), lowest, highest)
                    : value_of_extremum(limbs[0], r.kind == 1);
}
