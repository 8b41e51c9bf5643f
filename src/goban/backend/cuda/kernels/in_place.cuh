#pragma once
// A block of threads updates a row in place, part by part: it reads all cells of a part before it
// writes any. What the last thread would write the next part reads, too: it waits in shared memory
// until then. Threads beyond the end of the row read what is before it.

#include "dependent_launch.cuh"
#include "outputs.cuh"

extern "C" __global__ void __launch_bounds__(256, goban::device::has_many_values ? 2 : 0)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  constexpr int N = pack_width;
  let_next_launch();
  wait_for_launch_before();
  const SweepCommon& c = a.common;
  const int last_pack = c.first + (c.high[0] - 1 - c.first) / N * N;
  Place at{c.first + static_cast<int>(threadIdx.x) * N, c.low[1] + static_cast<int>(blockIdx.x),
           c.low[2] + static_cast<int>(blockIdx.y)};
  Results results[1];
  __shared__ alignas(16) unsigned char waiting[2][sizeof(results)];
  const auto store = [&](const Place& where) {
    Targets(a, where).store(a, where, 0, 0, results[0]);
  };
  const int part_length = static_cast<int>(blockDim.x) * N;
  const bool is_last = threadIdx.x == blockDim.x - 1;
  for (int part = 0; part * part_length <= last_pack - c.first; ++part) {
    evaluate(a, {min(at.fast, last_pack), at.middle, at.slow}, results);
    __syncthreads();
    if (is_last && at.fast < last_pack) {
      memcpy(waiting[part % 2], &results, sizeof(results));
    } else if (at.fast <= last_pack) {
      Place where = at;
      asm volatile("" : "+r"(where.fast));
      store(where);
    }
    if (threadIdx.x == 0 && part > 0) {
      memcpy(&results, waiting[1 - part % 2], sizeof(results));
      store({at.fast - N, at.middle, at.slow});
    }
    at.fast += part_length;
  }
  __syncthreads();
  Targets::send_row_ends(a, at);
}
