#pragma once
// Finds how many steps can run in one pass through memory, and how many may pay.

#include <memory>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// Returns why GPUs, with a copy engine or without, have no kernel for a pass of `steps` steps of
/// these stages; empty if they have one.
std::string refusal_of_device_passes(const std::vector<std::shared_ptr<Stage>>& stages, int steps,
                                     bool has_copy_engine);
/// Returns the most steps per pass for which GPUs have a kernel; 1 if there is none.
int longest_pass_on_devices(const std::vector<std::shared_ptr<Stage>>& stages,
                            bool has_copy_engine);

/// Returns the most steps per pass that may pay on CPUs if data does not fit into the cache. It is
/// 1 for stages bound by arithmetic, and for reaches so long that tiles would mostly recompute
/// their edges.
int longest_pass_on_cpus(const std::vector<std::shared_ptr<Stage>>& stages);

}  // namespace goban
