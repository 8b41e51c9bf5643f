#pragma once
// What bodies do with nodes in memory that the host works on, in packs of nodes of a row: the same
// integers as kernels make of node after node.

#include "goban/backend/api.hpp"
#include "goban/backend/body_task.hpp"
#include "goban/particle/fluid_nodes.hpp"

namespace goban {

/// As of BodyKernels; by the threads of the executor.
void add_sums_on_host(const BodyTask& task, Executor& executor, Index* sums);
/// Adds what nodes that the grid does not have add as those without fluid.
void add_missing_on_host(const BodyTask& task, const FluidNodes& nodes, Executor& executor,
                         Index* sums);
void push_on_host(const BodyTask& task, Executor& executor, const device::BodyPush* pushes,
                  double unit);

}  // namespace goban
