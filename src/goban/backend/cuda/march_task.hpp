#pragma once
// Steps as launches of marching kernels.

#include "goban/backend/api.hpp"

namespace goban::cuda {

/// The steps are those of one stage that has a kernel for so many, its ghosts constant or computed
/// ahead; queued on `stream`.
void run_march(const PassTask& task, void* stream);

/// A single sweep by the marching kernel of its stage, which has no mask.
void march_sweep(const SweepTask& task, const SweepCall& sweep, void* stream);

}  // namespace goban::cuda
