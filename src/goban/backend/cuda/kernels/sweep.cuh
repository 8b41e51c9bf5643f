#pragma once
// A thread evaluates packs of a few rows and planes. Before it the generated text says: arguments
// `Arguments`, `Results` of one pack, functions evaluate, store_plain and store, and the constants
// pack_width, rows, planes, least_blocks, has_many_values.
//
// Blocks of threads run along x, then through a slab of rows, then up the planes, then on to the
// next slab: what neighbours share is still in the second-level cache. Threads at the end of an
// axis are moved back so that all they update lies within the box.

#include "dependent_launch.cuh"
#include "outputs.cuh"

namespace goban::device {

inline constexpr int most_threads = 256;

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(goban::device::most_threads,
                                             goban::device::least_blocks)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  let_next_launch();
  wait_for_launch_before();
  const SweepCommon& c = a.common;
  const unsigned int slab_row = blockIdx.x / c.blocks_x,
                     block_x = blockIdx.x - slab_row * c.blocks_x;
  const unsigned int block_y = blockIdx.z * c.slab + slab_row;
  Place at;
  at.fast = c.first + static_cast<int>(block_x * blockDim.x + threadIdx.x) * pack_width;
  at.middle = c.low[1] + static_cast<int>(block_y * blockDim.y + threadIdx.y) * rows;
  at.slow = c.low[2] + static_cast<int>(blockIdx.y * blockDim.z + threadIdx.z) * planes;
  if (at.fast >= c.high[0] || at.middle >= c.high[1] || at.slow >= c.high[2]) return;
  if constexpr (rows > 1) at.middle = min(at.middle, c.high[1] - rows);
  if constexpr (planes > 1) at.slow = min(at.slow, c.high[2] - planes);
  Results results[rows * planes];
  evaluate(a, at, results);
  // Addresses are computed anew: kept since they were read they would fill registers.
  asm volatile("" : "+r"(at.fast));
  const Targets targets(a, at);
  unroll<planes>([&](auto plane) {
    unroll<rows>([&](auto row) {
      const Results& mine = results[plane * rows + row];
      // Where rows end warps do both, which does not pay with many components.
      if (!has_many_values && is_plain<pack_width>(c, at.fast, at.middle + row, at.slow + plane)) {
        targets.store_plain(a, at, row, plane, mine);
      } else {
        targets.store(a, at, row, plane, mine);
      }
    });
  });
}
