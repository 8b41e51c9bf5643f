#pragma once
// Copies that kernels count with 32 bits.

#include <vector>

#include "goban/backend/api.hpp"

namespace goban::cuda {

/// The same copies cut into pieces of at most so many bytes each, planes together as far as they
/// fit; rows stay whole. Empty ones are left out.
std::vector<CopyTask> split_copies(const std::vector<CopyTask>& tasks,
                                   Index most_bytes = Index{1} << 31);

}  // namespace goban::cuda
