#pragma once
// The kernels that are not made from functors: copies, fills, waits and the like. The structures
// with which they are launched are declared in the texts of the same names, which the host
// includes, too.

#include <vector>

#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/base/types.hpp"

namespace goban::cuda {

/// The kernels of kernels/waits.cuh.
struct WaitKernels {
  OwnKernel meet, meet_over, wait_for_host, count_replay, hold_replay, post_replay;
  static const WaitKernels& get();
};

/// Return the kernels of kernels/copy.cuh and exchange.cuh. They copy pieces in units of 1, 2, 4, 8
/// or 16 bytes.
const OwnKernel& copy_kernel(int unit);
const OwnKernel& exchange_kernel(int unit);

/// Return the kernels of kernels/fill.cuh and inspect.cuh.
const OwnKernel& fill_kernel(ElementType type);
const OwnKernel& checksum_kernel(ElementType type);
const OwnKernel& sum_kernel(ElementType type);
const OwnKernel& extremum_kernel(ElementType type);
/// Returns the kernel that searches for values that are not finite. `type` must be a floating-point
/// type.
const OwnKernel& find_nonfinite_kernel(ElementType type);

/// The kernels of kernels/bodies.cuh, for float or double.
struct BodyStepKernels {
  OwnKernel link, repel, place, sum, move, push, store;
  static const BodyStepKernels& of(ElementType type);
};

/// The kernels of kernels/fourier.cuh, for float or double.
struct FourierKernels {
  OwnKernel load, store, columns, rings, mean;
  static const FourierKernels& of(ElementType type);
};

/// Return the kernels of kernels/loop.cuh; only if has_device_loops().
const OwnKernel& end_round_kernel();
const OwnKernel& enter_loop_kernel();

/// Returns the sources of all these kernels, to compile them ahead.
std::vector<KernelSource> own_kernel_sources();

}  // namespace goban::cuda
