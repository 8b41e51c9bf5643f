#pragma once
// The texts gpu_*.cuh as kernels.

#include <vector>

#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/base/types.hpp"

namespace goban::graph500 {

struct SearchKernels {
  cuda::OwnKernel begin, go_up, list, go_down, finish, interleave, write;
  static const SearchKernels& get();
};

struct PathKernels {
  cuda::OwnKernel begin, take_near, receive, relax, next_bin, write;
  static const PathKernels& get();
};

struct BuildKernels {
  cuda::OwnKernel generate, weights, degrees, count, fill, sort_short, sort_long, close, first,
      weigh;
  static const BuildKernels& get();
};

struct ValidationKernels {
  cuda::OwnKernel begin, levels, end, tuples, path_tuples, marked;
  static const ValidationKernels& get();
};

/// Edges that a warp takes at a time where a frontier offers itself.
inline constexpr Index edges_a_piece = 256;

/// The sources of all kernels, to be compiled ahead.
std::vector<cuda::KernelSource> gpu_kernel_sources();

}  // namespace goban::graph500
