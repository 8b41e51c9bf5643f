#pragma once
// Launches of kernels that sweep columns.

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/launch/stage_kernels.hpp"

namespace goban::cuda {

/// Columns of so many levels are kept whole or in segments (kernels/column.cuh).
KernelForm column_form(const KernelSubject& subject, Index levels, int device);
/// As many columns at a time as shared memory has room for. Error (ExitCode::resources): one is too
/// long.
void launch_columns(StageKernels& kernels, int device, const SweepCall& sweep, CUstream stream);

}  // namespace goban::cuda
