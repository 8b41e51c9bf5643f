#pragma once
// Paths to GPUs of other processes on the same machine. These functions implement PeerDevices.

#include <memory>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/backend/cuda/driver/driver.hpp"

namespace goban::cuda {

std::unique_ptr<PeerPath> open_peer_path(int device, PeerPath::End end, std::size_t most_bytes);

/// Implements PeerDevices::exchange() with one kernel for all messages, or several if there are
/// more pieces than one takes.
void exchange_messages(const std::vector<MessageTask>& tasks, CUstream stream);

/// Implements PeerDevices::meet_over() with one kernel.
void meet_over(const std::vector<PeerPath*>& paths, CUstream stream);

/// Implement PeerDevices::share() and PeerDevices::open_shared() by CUDA IPC.
std::vector<std::byte> share(int device, const std::shared_ptr<std::byte>& memory);
std::shared_ptr<std::byte> open_shared(int device, std::span<const std::byte> handle);

}  // namespace goban::cuda
