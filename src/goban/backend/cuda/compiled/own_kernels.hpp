#pragma once
// The kernels that are not made of functors: copies, fills, waits and the like. The structures they
// are launched with are in the texts of the same names, which the host includes, too.

#include <vector>

#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/base/types.hpp"

namespace goban::cuda {

/// kernels/waits.cuh.
struct WaitKernels {
  OwnKernel meet, meet_over, wait_for_host, count_replay, hold_replay, post_replay;
  static const WaitKernels& get();
};

/// kernels/copy.cuh and exchange.cuh: pieces counted in units of 1, 2, 4, 8 or 16 bytes.
const OwnKernel& copy_kernel(int unit);
const OwnKernel& exchange_kernel(int unit);

/// kernels/fill.cuh and inspect.cuh.
const OwnKernel& fill_kernel(ElementType type);
const OwnKernel& checksum_kernel(ElementType type);
const OwnKernel& sum_kernel(ElementType type);
const OwnKernel& extremum_kernel(ElementType type);
/// The kernel that looks for values that are not finite, of a floating-point type.
const OwnKernel& find_nonfinite_kernel(ElementType type);

/// kernels/bodies.cuh, of float or double.
const OwnKernel& body_sums_kernel(ElementType type);
const OwnKernel& body_push_kernel(ElementType type);
const OwnKernel& body_store_kernel(ElementType type);

/// kernels/loop.cuh; only where has_device_loops().
const OwnKernel& end_round_kernel();
const OwnKernel& enter_loop_kernel();

/// All of them, to be compiled ahead.
std::vector<KernelSource> own_kernel_sources();

}  // namespace goban::cuda
