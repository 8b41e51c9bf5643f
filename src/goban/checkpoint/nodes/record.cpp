#include "goban/checkpoint/nodes/record.hpp"

#include <fmt/format.h>

#include <sstream>

#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {

std::string text_of(const NodeRecord& record) {
  std::string text = record.folder + "\n" + record.run + "\n";
  if (record.saved) text += fmt::format("saved {}\n", *record.saved);
  for (const Lineage::Life& life : record.lineage.lives()) {
    text += fmt::format("life {} {}\n", life.from, life.id);
  }
  return text;
}

std::optional<NodeRecord> parse_node_record(const std::string& text) {
  std::istringstream lines(text);
  NodeRecord record;
  std::getline(lines, record.folder);
  std::getline(lines, record.run);
  if (record.folder.empty() || record.run.empty()) return std::nullopt;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, id;
    Index step = 0;
    words >> what >> step >> id;
    if (what == "saved") record.saved = step;
    if (what == "life") record.lineage.add(id, step);
  }
  return record;
}

void write_node_record(const std::filesystem::path& directory, const NodeRecord& record) {
  write_file(directory / node_record, text_of(record));
}

std::optional<NodeRecord> read_node_record(const std::filesystem::path& directory) {
  if (!is_there(directory / node_record)) return std::nullopt;
  return parse_node_record(read_text(directory / node_record, 1 << 20));
}

}  // namespace goban
