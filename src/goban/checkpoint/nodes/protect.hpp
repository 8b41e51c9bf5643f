#pragma once
// What makes parts outlast their nodes, when they are saved.

#include <filesystem>

#include "goban/base/communicator.hpp"
#include "goban/checkpoint/manifest.hpp"
#include "goban/checkpoint/nodes/layout.hpp"

namespace goban {

/// Both are collective. `folder`: of this rank, with its part. Error (files).
void add_copies(Communicator& communicator, const NodeLayout& layout,
                const std::filesystem::path& folder, Manifest& manifest);
void add_parity(Communicator& communicator, const NodeLayout& layout, int group, int parity,
                const std::filesystem::path& folder, Manifest& manifest);

}  // namespace goban
