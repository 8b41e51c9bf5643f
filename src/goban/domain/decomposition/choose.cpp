#include "goban/domain/decomposition/choose.hpp"

#include <algorithm>

namespace goban {

Decomposition choose_decomposition(const GridState& grid) {
  const Settings& settings = grid.context->settings();
  const bool has_cuts = std::any_of(settings.cuts.begin(), settings.cuts.end(),
                                    [](const std::string& cut) { return !cut.empty(); });
  if (has_cuts) return cut_explicitly(grid.cells, settings.cuts);
  Index3 pieces = settings.patches;
  if (pieces == Index3{} && settings.backend == Backend::cuda) {
    // Planes are contiguous: their halos are copied fastest.
    const auto devices = static_cast<Index>(settings.gpus.size());
    (grid.cells[2] >= 2 * devices ? pieces[2] : pieces[1]) = devices;
  }
  for (auto& n : pieces) n = std::max<Index>(n, 1);
  return cut_evenly(grid.cells, pieces);
}

}  // namespace goban
