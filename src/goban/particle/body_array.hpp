#pragma once
// Bodies in checkpoints.

#include "goban/checkpoint/content.hpp"
#include "goban/particle/population.hpp"

namespace goban {

/// By id: position, quaternion, velocity, angular velocity, shape.
CheckpointArray array_of(const std::shared_ptr<Population>& population);

}  // namespace goban
