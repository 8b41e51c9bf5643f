#pragma once
// A note in the directory of a run: where its nodes keep checkpoints, and which are its own.

#include <filesystem>
#include <optional>
#include <string>

#include "goban/checkpoint/nodes/lineage.hpp"

namespace goban {

inline constexpr const char* node_record = ".nodes";

struct NodeRecord {
  std::string folder;          ///< see nodes/folders.hpp; absolute
  std::string run;             ///< NodeStoreOptions::run
  std::optional<Index> saved;  ///< a step that is there, or was until later ones were
  Lineage lineage;

  /// The folder of the run in that of every node.
  std::string folder_name() const { return lineage.folder_of(run); }
};

/// Error (files).
void write_node_record(const std::filesystem::path& directory, const NodeRecord& record);

/// Nothing where there is no note. Error (files).
std::optional<NodeRecord> read_node_record(const std::filesystem::path& directory);

/// As file content.
std::string text_of(const NodeRecord& record);
/// Nothing for what is no such text.
std::optional<NodeRecord> parse_node_record(const std::string& text);

}  // namespace goban
