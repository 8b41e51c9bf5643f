#pragma once
// Star-shaped functors on tiles that march through the planes: which kernel does it, in which
// shape.

#include <algorithm>

#include "goban/backend/cuda/march_by_blocks.cuh"
#include "goban/backend/cuda/march_steps.cuh"
#include "goban/backend/cuda/march_sweep.cuh"

namespace goban::cuda {

/// Rows a warp, warps a block, planes that are copied ahead of their use, blocks a multiprocessor.
struct MarchShape {
  int rows, warps, ahead, blocks;
};

/// Shapes for an H200 (benchmarks/cuda/march.cu). A thread that reads other fields beside those
/// that march has fewer registers for its rows.
constexpr MarchShape march_shape(int steps, StarReach reach, bool reads_others = false,
                                 int pairs = 1) {
  if (pairs > 1) return pairs > 2 || reads_others ? MarchShape{2, 8, 3, 1} : MarchShape{4, 8, 3, 1};
  if (steps >= 2 && reads_others) return {2, 16, 3, 1};
  if (steps >= 4) return {3, 12, 3, 1};
  if (steps >= 2) return {4, 12, 3, 1};
  const bool is_far = std::max({reach.fast, reach.middle, reach.slow}) > 1;
  return is_far ? MarchShape{2, 12, 5, 1} : MarchShape{4, 8, 3, 2};
}

/// Steps steps of a functor that KernelShape says can march.
template <class F, int Steps, MarchShape Shape, Axis Unit, class... P>
bool launch_march_as(const MarchCall& call) {
  using Kernel = KernelShape<F, Unit, P...>;
  constexpr int pairs = Kernel::pair_count(), n = Kernel::width();
  constexpr StarReach reach = Kernel::star();
  static_assert(pairs > 0);
  constexpr bool is_near = reach.fast <= 1 && reach.middle <= 1 && reach.slow <= 1;
  if constexpr (Steps > 1 && is_near) {
    const bool is_done =
        launch_steps<F, Steps, n, Shape.rows, Shape.warps, Shape.ahead, pairs, Unit, P...>(call);
    if (is_done || pairs > 1) return is_done;
  }
  if constexpr (pairs == 1) {
    if (call.box.empty()) return true;
    constexpr int in = Kernel::marching(), out = Kernel::result();
    if constexpr (Steps == 1) {
      if (launch_ring<F, n, Shape.rows, Shape.warps, Shape.ahead, Shape.blocks, Unit, in, out,
                      P...>(call)) {
        return true;
      }
    }
    constexpr int rows = reach.slow > 1 ? 1 : 2, warps = 16;
    launch_by_blocks<F, Steps, n, rows, warps, Unit, in, out, P...>(call);
  }
  return pairs == 1;
}

template <class F, int Steps, Axis Unit, class... P>
bool launch_march(const MarchCall& call) {
  using Kernel = KernelShape<F, Unit, P...>;
  constexpr int pairs = Kernel::pair_count();
  constexpr bool reads_others = (0 + ... + (is_field_parameter<P> ? 1 : 0)) > 2 * pairs;
  return launch_march_as<F, Steps, march_shape(Steps, Kernel::star(), reads_others, pairs), Unit,
                         P...>(call);
}

}  // namespace goban::cuda
