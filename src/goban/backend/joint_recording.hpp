#pragma once
// Cycles that executors of several kinds record together: CPUs beside devices.

#include <memory>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

/// As those of Executor, of all kinds at once. Replays follow each other as a whole.
void begin_recording(const std::vector<Executor*>& all);
std::unique_ptr<Recording> end_recording(const std::vector<Executor*>& all);

}  // namespace goban
