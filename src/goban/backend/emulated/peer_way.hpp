#pragma once
// Ways between emulated devices of ranks that are threads of one process.

#include <memory>

#include "goban/backend/api.hpp"

namespace goban::emulated {

std::unique_ptr<PeerWay> open_peer_way(PeerWay::End end, std::size_t most_bytes);

/// Executor::exchange, on the thread of a queue.
void exchange_messages(const std::vector<MessageTask>& tasks);

}  // namespace goban::emulated
