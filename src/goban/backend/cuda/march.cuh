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

/// Shapes for an H200 (benchmarks/cuda/march.cu). A thread that reads other fields beside the one
/// that marches has fewer registers for its rows.
constexpr MarchShape march_shape(int steps, StarReach reach, bool reads_others = false) {
  if (steps >= 2 && reads_others) return {2, 16, 3, 1};
  if (steps >= 4) return {3, 12, 3, 1};
  if (steps >= 2) return {4, 12, 3, 1};
  const bool is_far = std::max({reach.fast, reach.middle, reach.slow}) > 1;
  return is_far ? MarchShape{2, 12, 5, 1} : MarchShape{4, 8, 3, 2};
}

/// Steps steps of a functor that KernelShape says can march.
template <class F, int Steps, MarchShape Shape, Axis Unit, class... P>
void launch_march_as(const MarchCall& call) {
  using Kernel = KernelShape<F, Unit, P...>;
  constexpr int in = Kernel::marching(), out = Kernel::result(), n = Kernel::width();
  constexpr StarReach reach = Kernel::star();
  static_assert(in >= 0);
  if (call.box.empty()) return;
  if constexpr (Steps == 1) {
    if (launch_ring<F, n, Shape.rows, Shape.warps, Shape.ahead, Shape.blocks, Unit, in, out, P...>(
            call)) {
      return;
    }
  } else if constexpr (reach.fast <= 1 && reach.middle <= 1 && reach.slow <= 1) {
    if (launch_steps<F, Steps, n, Shape.rows, Shape.warps, Shape.ahead, Unit, in, out, P...>(
            call)) {
      return;
    }
  }
  constexpr int rows = reach.slow > 1 ? 1 : 2, warps = 16;
  launch_by_blocks<F, Steps, n, rows, warps, Unit, in, out, P...>(call);
}

template <class F, int Steps, Axis Unit, class... P>
void launch_march(const MarchCall& call) {
  constexpr StarReach reach = KernelShape<F, Unit, P...>::star();
  constexpr bool reads_others = (0 + ... + (is_field_parameter<P> ? 1 : 0)) > 2;
  launch_march_as<F, Steps, march_shape(Steps, reach, reads_others), Unit, P...>(call);
}

}  // namespace goban::cuda
