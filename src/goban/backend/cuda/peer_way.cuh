#pragma once
// Ways to GPUs of other processes.

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cuda {

std::unique_ptr<PeerWay> open_peer_way(int device, PeerWay::End end, std::size_t most_bytes);

/// Executor::exchange: one kernel for all messages, as far as there are no more pieces than it
/// takes.
void exchange_messages(const std::vector<MessageTask>& tasks, cudaStream_t stream);

}  // namespace goban::cuda
