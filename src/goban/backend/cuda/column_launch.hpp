#pragma once
// Launches of kernels that sweep columns.

#include "goban/backend/cuda/generator.hpp"
#include "goban/backend/cuda/kernel_launch.hpp"

namespace goban::cuda {

/// As many columns at a time as shared memory has room for. Error (ExitCode::resources): one is too
/// long.
void launch_columns(const Kernel& kernel, const KernelSubject& subject, const SweepCall& sweep,
                    CUstream stream);

}  // namespace goban::cuda
