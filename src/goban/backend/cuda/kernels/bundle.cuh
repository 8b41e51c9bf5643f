#pragma once
// Several sweeps in one launch: a thread takes a pack of cells and evaluates, one after the other,
// the parts that update some of it. Before it the generated text says: arguments `Arguments` with
// their `regions`, the constants pack_width and least_blocks, a struct Part<n> of what a kernel of
// that sweep would say, and the function take_parts(arguments, parts, place).

#include "dependent_launch.cuh"
#include "outputs.cuh"

namespace goban::device {

inline constexpr int most_threads = 256;

template <class Part>
GOBAN_DEVICE void take(const typename Part::Arguments& a, Place at) {
  if (at.fast + pack_width <= a.common.low[0] || at.fast >= a.common.high[0]) return;
  typename Part::Results results[1];
  Part::evaluate(a, at, results);
  // Addresses are computed anew: kept since they were read they would fill registers.
  asm volatile("" : "+r"(at.fast));
  // One way for all that is stored: a second would make as much code again.
  const bool are_plain = is_plain<pack_width>(a.common, at.fast, at.middle, at.slow);
  typename Part::Targets(a, at).store(a, at, 0, 0, results[0], are_plain);
  // The next part may read it, as values of another type.
  asm volatile("" ::: "memory");
}

/// n / by, and what is left; n < 2^31. `reciprocal`: (2^32 - 1) / by. A division by what is not
/// known takes five times as many instructions.
GOBAN_DEVICE uint32 divided(uint32 n, uint32 by, uint32 reciprocal, uint32& left) {
  uint32 quotient = __umulhi(n, reciprocal);
  left = n - quotient * by;
  if (left >= by) {
    ++quotient;
    left -= by;
  }
  return quotient;
}

/// The region of a block of the launch.
template <int Count>
GOBAN_DEVICE const BundleRegion& region_of(const BundleRegions<Count>& all, uint32 block) {
  int first = 0, last = all.count;
  while (last - first > 1) {
    const int middle = (first + last) / 2;
    (all.region[middle].first_block <= block ? first : last) = middle;
  }
  return all.region[first];
}

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(goban::device::most_threads,
                                             goban::device::least_blocks)
    goban_kernel(const __grid_constant__ goban::device::Arguments a) {
  using namespace goban::device;
  let_next_launch();
  wait_for_launch_before();
  const BundleRegion& region = region_of(a.regions, blockIdx.x);
  const uint32 block = blockIdx.x - region.first_block;
  uint32 block_x, block_y, x, y;
  const uint32 block_z = divided(divided(block, region.blocks[0], region.reciprocal[2], block_x),
                                 region.blocks[1], region.reciprocal[3], block_y);
  const uint32 z = divided(divided(threadIdx.x, region.threads[0], region.reciprocal[0], x),
                           region.threads[1], region.reciprocal[1], y);
  if (z >= region.threads[2]) return;
  Place at;
  at.fast = region.low[0] + static_cast<int>(block_x * region.threads[0] + x) * pack_width;
  at.middle = region.low[1] + static_cast<int>(block_y * region.threads[1] + y);
  at.slow = region.low[2] + static_cast<int>(block_z * region.threads[2] + z);
  if (at.fast >= region.high[0] || at.middle >= region.high[1] || at.slow >= region.high[2]) return;
  take_parts(a, region.parts, at);
}
