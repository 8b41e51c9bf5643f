#pragma once
// Which steps can be computed in one pass through memory, and how many at a time should be.

#include <memory>
#include <string>
#include <vector>

#include "goban/program/schedule.hpp"
#include "goban/program/stage.hpp"

namespace goban {

/// Why a schedule cannot run in passes through cache; empty if it can. `dt`: the time step, if it
/// is a parameter.
std::string refusal_of_passes(const Schedule& schedule, const ParameterRecord* dt);
/// Why devices cannot compute `steps` steps of these stages in one pass, which may renew
/// `most_fields` fields; empty if they can.
std::string refusal_of_device_passes(const std::vector<std::shared_ptr<Stage>>& stages, int steps,
                                     int most_fields);
/// The most steps for which devices have a kernel; 1 if there is none.
int longest_pass_on_devices(const std::vector<std::shared_ptr<Stage>>& stages, int most_fields);

/// The most steps that may pay on CPUs where data does not fit the cache anyway; 1 for stages bound
/// by arithmetic, and reaches so long that tiles would mostly recompute their edges.
int longest_pass_on_cpus(const std::vector<std::shared_ptr<Stage>>& stages);

}  // namespace goban
