#pragma once
// The machine as the operating system describes it.

#include <filesystem>
#include <string>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/performance/model/machine_rates.hpp"

namespace goban {

struct Cache {
  int level = 0;
  std::string kind;   ///< "Data", "Instruction" or "Unified"
  Index bytes = 0;    ///< bytes of one such cache
  int shared_by = 1;  ///< logical cores using it together
};

/// Cores with memory of their own.
struct NumaNode {
  int logical_cores = 0;
  Index bytes = 0;
};

struct Machine {
  std::string processor;  ///< "AMD EPYC 9655"; "unknown" where it has no name
  int logical_cores = 0;  ///< online, whether this process may use them or not
  int sockets = 1;
  std::vector<NumaNode> nodes;  ///< empty where not told
  std::vector<Cache> caches;    ///< the caches of the first core; empty where not told
  Index memory_total = 0;       ///< bytes, within the limits of the control group
  Index memory_available = 0;
  Index page_size = 0;  ///< bytes

  /// Bytes of the data or unified cache of a level, 0 if there is none.
  Index cache_bytes(int level) const;
  /// The largest cache; 0 if none is known.
  Index last_level_cache_bytes() const;
};

/// Caches beyond the first level that so many threads have together, and how much of them stays
/// from sweep to sweep. Rates are left open.
std::vector<MemoryLevel> cache_levels(const Machine& machine, int threads);

/// Files are looked up under `root`.
Machine inspect_machine(const std::filesystem::path& root = "/");

}  // namespace goban
