#pragma once
// Copies pieces, counted in `Unit`, to or from messages of other processes.

#include "counters.cuh"
#include "dependent_launch.cuh"
#include "pieces.cuh"

namespace goban::device {

inline constexpr int pieces_per_exchange = 36;

struct Exchange {
  Piece piece[pieces_per_exchange];
  Ends ends[pieces_per_exchange];  ///< counters of the path that the piece takes
};

}  // namespace goban::device

#if GOBAN_KERNEL

/// Every block waits for the message of its piece; the last to have copied hands it over. Lets
/// nothing launch before it is done, like barriers.
extern "C" __global__ void __launch_bounds__(256)
    goban_exchange(const __grid_constant__ goban::device::Exchange exchange) {
  using namespace goban::device;
  wait_for_launch_before();
  const Ends& ends = exchange.ends[blockIdx.y];
  const bool is_first = threadIdx.x == 0;
  if (is_first) wait_until_counted(ends.mine + path_arrived, ends.mine[path_taken] + 1);
  __syncthreads();
  copy_piece(exchange.piece[blockIdx.y], blockIdx.x, gridDim.x);
  __threadfence_system();
  __syncthreads();
  if (!is_first) return;
  if (atomicAdd(ends.mine + path_copied, Counter{1}) + 1 < ends.blocks) return;
  __threadfence_system();
  ends.mine[path_copied] = 0;
  ends.mine[path_taken] += 1;
  count_up(ends.theirs + path_arrived);
}

#endif
