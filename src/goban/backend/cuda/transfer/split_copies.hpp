#pragma once
// Splits copies, because kernels count with 32 bits.

#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cuda {

/// Returns the same copies in pieces of at most `most_bytes` bytes, each with as many planes as
/// fit; rows stay whole. Empty copies are left out.
std::vector<CopyTask> split_copies(const std::vector<CopyTask>& tasks,
                                   Index most_bytes = Index{1} << 31);

}  // namespace goban::cuda
