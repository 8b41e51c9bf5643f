#pragma once
// Ways between emulated devices of ranks that are threads of one process.

#include <memory>

#include "goban/backend/api.hpp"

namespace goban::emulated {

std::unique_ptr<PeerPath> open_peer_path(PeerPath::End end, std::size_t most_bytes);

/// PeerDevices::exchange, on the thread of a queue.
void exchange_messages(const std::vector<MessageTask>& tasks);

/// PeerDevices::meet_over, on the thread of a queue.
void meet_over(const std::vector<PeerPath*>& paths);

/// PeerDevices::share and PeerDevices::open_shared, within one process.
std::vector<std::byte> share(const std::shared_ptr<std::byte>& memory);
std::shared_ptr<std::byte> open_shared(std::span<const std::byte> handle);

}  // namespace goban::emulated
