#pragma once
// Decides which of a sweep's copies into other patches its kernel makes itself.

#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/launch/launch_arguments.hpp"

namespace goban::cuda {

struct Sends {
  std::vector<SendsOfArgument> by_kernel;  ///< one per argument of the stage
  std::vector<CopyTask> by_copy;           ///< those that are copied afterwards
};

/// What a kernel can store a second time, if the strides there are the same.
enum class CanStore : std::uint8_t {
  nothing,  ///< for marching sweeps, which more stores would slow down, even on one GPU
  planes,   ///< whole planes, for passes
  all       ///< whole planes, whole rows of every plane, and the ends of all rows
};
/// Divides the sends of a task into those that its kernel stores and those that are copied
/// afterwards.
Sends divide_sends(const SweepTask& task, CanStore can_store);

}  // namespace goban::cuda
