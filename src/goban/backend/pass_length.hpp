#pragma once
// How many steps can be computed in one pass through memory, and how many at a time may pay.

#include <memory>
#include <string>
#include <vector>

#include "goban/program/stage.hpp"

namespace goban {

/// Why GPUs have no kernel for `steps` steps of these stages in one pass, which may renew
/// `most_fields` fields; empty if they have.
std::string refusal_of_device_passes(const std::vector<std::shared_ptr<Stage>>& stages, int steps,
                                     int most_fields);
/// The most steps for which GPUs have a kernel; 1 if there is none.
int longest_pass_on_devices(const std::vector<std::shared_ptr<Stage>>& stages, int most_fields);

/// The most steps that may pay on CPUs where data does not fit the cache anyway; 1 for stages bound
/// by arithmetic, and reaches so long that tiles would mostly recompute their edges.
int longest_pass_on_cpus(const std::vector<std::shared_ptr<Stage>>& stages);

}  // namespace goban
