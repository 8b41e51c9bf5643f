#pragma once
// Ways to GPUs of other processes.

#include <cuda_runtime.h>

#include <functional>

#include "goban/backend/api.hpp"

namespace goban::cuda {

/// `begin`: the queue of a submission, which waits for what that waits for.
std::unique_ptr<PeerWay> open_peer_way(int device, PeerWay::End end, std::size_t most_bytes,
                                       std::function<cudaStream_t(const Submission&)> begin);

}  // namespace goban::cuda
