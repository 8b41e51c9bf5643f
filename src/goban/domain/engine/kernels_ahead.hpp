#pragma once
// Kernels of command lists are compiled together, before the first command is submitted.

#include <memory>
#include <vector>

#include "goban/domain/engine/phases.hpp"

namespace goban {

class DeviceNumbers;

/// What these lists need that is not there yet, on executors that compile. Error: as running the
/// list would.
void compile_kernels(const std::vector<std::shared_ptr<Phase>>& phases);
/// Compiles the kernels of scalar stages that a device computes.
void compile_kernels(const std::vector<std::shared_ptr<const Stage>>& scalars,
                     const DeviceNumbers& numbers, Executor& device);

}  // namespace goban
