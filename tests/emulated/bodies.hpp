#pragma once
// Steps of bodies on devices that are not there.

#include "goban/backend/body_task.hpp"

namespace goban::emulated {

/// Does what kernels of GPUs do, body after body and node after node.
void run_bodies(BodyWork work, const BodyTask& task);

}  // namespace goban::emulated
