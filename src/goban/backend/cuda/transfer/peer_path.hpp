#pragma once
// Ways to GPUs of other processes.

#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

std::unique_ptr<PeerPath> open_peer_path(int device, PeerPath::End end, std::size_t most_bytes);

/// PeerDevices::exchange: one kernel for all messages, as far as there are no more pieces than it
/// takes.
void exchange_messages(const std::vector<MessageTask>& tasks, CUstream stream);

/// PeerDevices::meet_over: one kernel.
void meet_over(const std::vector<PeerPath*>& paths, CUstream stream);

/// PeerDevices::share and PeerDevices::open_shared, by CUDA IPC.
std::vector<std::byte> share(int device, const std::shared_ptr<std::byte>& memory);
std::shared_ptr<std::byte> open_shared(int device, std::span<const std::byte> handle);

}  // namespace goban::cuda
