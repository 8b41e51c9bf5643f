#pragma once
// Steps of bodies in memory that the host works on.

#include <memory>

#include "goban/backend/api.hpp"
#include "goban/particle/nodes/fluid_nodes.hpp"

namespace goban {

/// By the threads of an executor; returns from everything when it is done.
std::unique_ptr<BodyKernels> host_bodies(Executor& executor,
                                         std::shared_ptr<const FluidNodes> nodes);

}  // namespace goban
