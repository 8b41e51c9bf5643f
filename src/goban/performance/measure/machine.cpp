#include "goban/performance/measure/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "goban/backend/cpu/core_list.hpp"
#include "goban/backend/host/control_group.hpp"

namespace goban {
namespace {

using Path = std::filesystem::path;

std::string first_word(const Path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// "32K", "2M", "100" in bytes; 0 if it is no size.
Index bytes_of(const std::string& text) {
  std::istringstream stream(text);
  Index value = 0;
  char unit = ' ';
  if (!(stream >> value)) return 0;
  stream >> unit;
  const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
  return value << shift;
}

int count_in(const Path& list) {
  return static_cast<int>(parse_core_list(first_word(list)).size());
}

/// Returns the value of the first line "key : value" with this key; empty if there is none.
std::string value_in(const Path& cpuinfo, const std::string& key) {
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return "";
}

/// Returns the model, or, on ARM, the numbers of who made it and of what it is.
std::string processor_name(const Path& cpuinfo) {
  if (const std::string name = value_in(cpuinfo, "model name"); !name.empty()) return name;
  const std::string part = value_in(cpuinfo, "CPU part");
  return part.empty() ? "unknown" : "ARM " + value_in(cpuinfo, "CPU implementer") + ":" + part;
}

std::vector<Cache> caches_of(const Path& core) {
  std::vector<Cache> caches;
  for (int index = 0;; ++index) {
    const Path folder = core / "cache" / ("index" + std::to_string(index));
    const std::string level = first_word(folder / "level");
    if (level.empty()) return caches;
    caches.push_back({static_cast<int>(bytes_of(level)), first_word(folder / "type"),
                      bytes_of(first_word(folder / "size")),
                      std::max(1, count_in(folder / "shared_cpu_list"))});
  }
}

int sockets_of(const Path& cores) {
  std::set<std::string> sockets;
  for (const int core : parse_core_list(first_word(cores / "online"))) {
    sockets.insert(
        first_word(cores / ("cpu" + std::to_string(core)) / "topology/physical_package_id"));
  }
  return std::max(1, static_cast<int>(sockets.size()));
}

/// "Node 0 MemTotal:  24666624 kB"
Index memory_of_node(const Path& meminfo) {
  std::ifstream file(meminfo);
  std::string node, number, name;
  for (Index kilobytes = 0; file >> node >> number >> name >> kilobytes;) {
    if (name == "MemTotal:") return kilobytes << 10;
    std::getline(file, node);
  }
  return 0;
}

std::vector<NumaNode> nodes_of(const Path& folder) {
  std::vector<NumaNode> nodes;
  for (const int node : parse_core_list(first_word(folder / "online"))) {
    const Path files = folder / ("node" + std::to_string(node));
    nodes.push_back({count_in(files / "cpulist"), memory_of_node(files / "meminfo")});
  }
  return nodes;
}

}  // namespace

Index Machine::cache_bytes(int level) const {
  for (const Cache& cache : caches)
    if (cache.level == level && cache.kind != "Instruction") return cache.bytes;
  return 0;
}

Index Machine::last_level_cache_bytes() const {
  Index bytes = 0;
  for (const Cache& cache : caches) bytes = std::max(bytes, cache.bytes);
  return bytes;
}

std::vector<MemoryLevel> cache_levels(const Machine& machine, int threads) {
  constexpr double staying = 0.8;  // beside code, stacks and what others have
  std::vector<MemoryLevel> levels;
  for (const Cache& cache : machine.caches) {
    if (cache.kind == "Instruction" || cache.level < 2) continue;
    const int instances = std::max(1, threads / std::max(1, cache.shared_by));
    levels.push_back({staying * static_cast<double>(cache.bytes) * instances, 0});
  }
  return levels;
}

Machine inspect_machine(const Path& root) {
  const Path cores = root / "sys/devices/system/cpu";
  Machine machine;
  machine.processor = processor_name(root / "proc/cpuinfo");
  machine.logical_cores = std::max(1, count_in(cores / "online"));
  machine.sockets = sockets_of(cores);
  machine.nodes = nodes_of(root / "sys/devices/system/node");
  machine.caches = caches_of(cores / "cpu0");
  const Memory memory = process_memory(root);
  machine.memory_total = memory.total;
  machine.memory_available = memory.available;
  machine.page_size = sysconf(_SC_PAGESIZE);
  return machine;
}

}  // namespace goban
