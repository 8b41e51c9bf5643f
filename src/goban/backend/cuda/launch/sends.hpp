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

/// What a kernel can store a second time, where strides there are those here.
enum class CanStore : std::uint8_t {
  nothing,  ///< sweeps that march: with more to store they are slower, on one GPU, too
  planes,   ///< whole ones: passes
  all       ///< whole rows of every plane and the ends of all rows, too
};
Sends divide_sends(const SweepTask& task, CanStore can_store);

}  // namespace goban::cuda
