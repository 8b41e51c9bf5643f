#pragma once
// An executor that notes what another one does and when.

#include <memory>

#include "goban/backend/api.hpp"
#include "goban/backend/timeline.hpp"

namespace goban {

/// Does everything `executor` does, but record cycles, and puts it on the timeline, which must live
/// longer. Times of asynchronous executors are read when the host waits for them.
std::shared_ptr<Executor> make_tracing_executor(std::shared_ptr<Executor> executor,
                                                Timeline& timeline);

}  // namespace goban
