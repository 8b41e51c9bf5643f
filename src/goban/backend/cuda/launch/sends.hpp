#pragma once
// Which of a sweep's sends its kernel makes itself.

#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/launch/launch_arguments.hpp"

namespace goban::cuda {

struct Sends {
  std::vector<SendsOfArgument> by_kernel;  ///< per argument of the stage
  std::vector<CopyTask> by_copy;           ///< the others
};

/// A kernel stores whole planes a second time where strides there are those here; `can_store`: the
/// kernel does so at all. Marching kernels do not: with more to store they are slower, on one GPU,
/// too.
Sends divide_sends(const SweepTask& task, bool can_store);

}  // namespace goban::cuda
