#pragma once
// Records cycles on executors of several kinds together: CPUs beside devices.

#include <memory>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

/// Like the functions of Recorder, but for executors of all kinds at once. A replay begins when the
/// one before is done as a whole.
void begin_recording(const std::vector<Executor*>& all);
std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all);

}  // namespace goban
