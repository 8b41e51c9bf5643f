#pragma once
// Launches kernels that sweep columns.

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/launch/stage_kernels.hpp"

namespace goban::cuda {

/// Returns the form of the kernel: whether columns of `levels` levels are kept whole or in segments
/// (kernels/column.cuh).
KernelForm column_form(const KernelSubject& subject, Index levels, int device);
/// Sweeps as many columns at a time as fit into shared memory. Throws an Error
/// (ExitCode::resources) if a single one is too long.
void launch_columns(StageKernels& kernels, int device, const SweepCall& sweep, CUstream stream);

}  // namespace goban::cuda
