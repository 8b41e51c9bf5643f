#pragma once
// A note in the directory of a run: where its nodes keep checkpoints.

#include <filesystem>
#include <optional>

#include "goban/checkpoint/nodes/store.hpp"

namespace goban {

inline constexpr const char* node_record = ".nodes";

/// Error (files).
void write_node_record(const std::filesystem::path& directory, const NodeStoreOptions& options);

/// Folder and run; nothing where there is no note. Error (files).
std::optional<NodeStoreOptions> read_node_record(const std::filesystem::path& directory);

}  // namespace goban
