#include "goban/domain/pass_choice.hpp"

#include <algorithm>

namespace goban {

int suggested_pass(const std::vector<std::shared_ptr<Stage>>& stages, double bytes) {
  constexpr double cache = 24e6;  // bytes that stay near the cores from step to step
  if (bytes < cache) return 1;
  int sweeps = 0, reads = 0, reach = 0, components = 0;
  for (const auto& stage : stages) {
    if (!stage->is_sweep()) continue;
    ++sweeps;
    if (stage->footprint.branching || stage->columns) return 1;
    for (const Read& r : stage->footprint.reads) {
      for (int o : r.offset) reach = std::max(reach, std::abs(o));
      ++reads;
    }
    for (const auto& argument : stage->arguments) {
      if (argument.field) components += argument.field->components;
    }
  }
  // Many components per cell make windows too large for the cache; long reaches and many reads
  // per cell leave no bandwidth-bound time to save.
  if (sweeps == 0 || components > 8 || reach > 2 || reads > 12 * sweeps) return 1;
  return std::max(1, 4 / sweeps);
}

}  // namespace goban
