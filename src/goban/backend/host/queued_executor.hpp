#pragma once
// An executor whose calls return when work is done, as one that queues it: a CPU beside devices.

#include <memory>

#include "goban/backend/api.hpp"

namespace goban {

/// Everything is done by one thread, in the order it was submitted, whatever the stream. It helps
/// others (Executor::is_helper) and runs no passes.
std::shared_ptr<Executor> make_queued_executor(std::shared_ptr<Executor> executor);

}  // namespace goban
