#pragma once
// Compiles the kernels of command lists together, before the first command is submitted.

#include <memory>
#include <vector>

#include "goban/domain/engine/phases.hpp"

namespace goban {

class DeviceNumbers;

/// Compiles the kernels that these lists need and that are not there yet, on executors that
/// compile. Throws the errors that running the lists would throw.
void compile_kernels(const std::vector<std::shared_ptr<Phase>>& phases);
/// Compiles the kernels of the scalar stages `scalars`, which `device` computes from `numbers`.
void compile_kernels(const std::vector<std::shared_ptr<const Stage>>& scalars,
                     const DeviceNumbers& numbers, Executor& device);

}  // namespace goban
