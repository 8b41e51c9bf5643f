#include "goban/performance/predict/placing.hpp"

#include <algorithm>

#include "goban/domain/decomposition/amalgamation.hpp"
#include "goban/domain/decomposition/coarsen.hpp"

namespace goban {
namespace {

/// The number of the coarsest grid that stages of a run read or write.
int coarsest_of(const StraightRun& run) {
  int grid = run.grid->number;
  for (const auto& stage : run.stages) {
    for (const StageArgument& argument : stage->arguments) {
      if (argument.grid) grid = std::max(grid, argument.grid->number);
    }
  }
  return grid;
}

bool is_thin(const GridState& grid, const Decomposition& finer) {
  for (std::size_t a = 0; a < 3; ++a) {
    const Index pieces = finer.process_grid()[static_cast<int>(a)];
    if (pieces > 1 && grid.cells[static_cast<int>(a)] / pieces < least_cells_of_patch) return true;
  }
  return false;
}

}  // namespace

PaperRanks::PaperRanks(Index devices, const MachineRates& machine) {
  const Index per_node = std::min<Index>(devices, machine.devices_per_node);
  if (machine.device.is_gpu && devices == per_node) devices_each = per_node;
  const Index count = devices / devices_each;
  for (Index rank = 0; rank < count; ++rank) {
    nodes.push_back(static_cast<int>(rank * devices_each / per_node));
  }
}

Placing::Placing(const GridState& root, const Decomposition& finest, const PaperRanks& ranks,
                 const MachineRates& machine)
    : root_(root), finest_(finest), nodes_(ranks.nodes), machine_(machine) {
  for (const auto& grid : root.coarser) {
    const int finer = grid->finer->number;
    if (is_gathered(finer)) break;
    const Decomposition& above =
        finer == 0 ? finest_ : spread_[static_cast<std::size_t>(finer) - 1];
    if (above.patches() > 1) {
      const auto& visits = grid->coarsening.visits;
      const bool pays = !visits.empty() && amalgamate(visits, pieces_of(above), above.patches(),
                                                      step_model_of(*grid, machine))
                                               .is_gathered();
      if (pays || is_thin(*grid, above)) break;
    }
    spread_.push_back(cut_as_finer(above, *grid));
  }
}

PaperRank Placing::rank_for(const StraightRun& run) const {
  const int coarsest = coarsest_of(run);
  std::vector<Decomposition> cuts;
  if (!is_gathered(run.grid->number)) {
    for (int n = 0; n < coarsest;
         ++n) {  // what it reads of a grid that is gathered has been spread
      const GridState& grid = *root_.coarser[static_cast<std::size_t>(n)];
      const int finer = grid.finer->number;
      cuts.push_back(
          cut_as_finer(finer == 0 ? finest_ : cuts[static_cast<std::size_t>(finer) - 1], grid));
    }
    return rank_on_paper(finest_, cuts, root_, nodes_, machine_);
  }
  for (int n = 0; n < coarsest; ++n) {
    cuts.push_back(cut_evenly(root_.coarser[static_cast<std::size_t>(n)]->cells, {1, 1, 1}));
  }
  PaperRank rank = rank_on_paper(cut_evenly(root_.cells, {1, 1, 1}), cuts, root_, {0}, machine_);
  rank.is_part = true;
  return rank;
}

double Placing::gathering(const StraightRun& run) const {
  const int number = run.grid->number;
  if (!is_gathered(number) || is_gathered(run.grid->finer->number)) return 0;
  const int finer = run.grid->finer->number;
  const Decomposition& above = finer == 0 ? finest_ : spread_[static_cast<std::size_t>(finer) - 1];
  GridVisit visit{.cells = run.grid->cells};
  if (!run.grid->coarsening.visits.empty()) visit = run.grid->coarsening.visits.front();
  return gathering_seconds(visit, pieces_of(above), step_model_of(*run.grid, machine_));
}

}  // namespace goban
