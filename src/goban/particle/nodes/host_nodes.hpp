#pragma once
// What bodies do with nodes in memory that the host works on, in packs of nodes of a row: the same
// integers as kernels make of node after node.

#include "goban/backend/api.hpp"
#include "goban/backend/body_task.hpp"
#include "goban/particle/nodes/fluid_nodes.hpp"

namespace goban {

/// BodyWork::sum by the threads of the executor. Nodes that the grid does not have are those of
/// `nodes`.
void sum_on_host(const BodyTask& task, const FluidNodes& nodes, Executor& executor);
/// BodyWork::push.
void push_on_host(const BodyTask& task, Executor& executor);

}  // namespace goban
