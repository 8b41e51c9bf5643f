#include "goban/checkpoint/nodes/record.hpp"

#include <sstream>

#include "goban/io/atomic_file.hpp"
#include "goban/io/file.hpp"

namespace goban {

void write_node_record(const std::filesystem::path& directory, const NodeStoreOptions& options) {
  const std::string folder = std::filesystem::absolute(options.folder).string();
  write_file(directory / node_record, folder + "\n" + options.run + "\n");
}

std::optional<NodeStoreOptions> read_node_record(const std::filesystem::path& directory) {
  if (!is_there(directory / node_record)) return std::nullopt;
  std::istringstream lines(read_text(directory / node_record, 1 << 16));
  NodeStoreOptions options;
  std::getline(lines, options.folder);
  std::getline(lines, options.run);
  if (options.folder.empty() || options.run.empty()) return std::nullopt;
  return options;
}

}  // namespace goban
