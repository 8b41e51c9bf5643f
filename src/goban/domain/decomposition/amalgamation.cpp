#include "goban/domain/decomposition/amalgamation.hpp"

#include <algorithm>

namespace goban {
namespace {

/// Pieces of a grid with so many cells, without thin ones.
ProcessGrid spread(Index3 cells, const ProcessGrid& most) {
  ProcessGrid pieces = most;
  for (int a = 0; a < 3; ++a) {
    while (pieces.all[a] > 1 && cells[a] / pieces.all[a] < least_cells_of_patch) {
      pieces.all[a] = (pieces.all[a] + 1) / 2;
    }
    pieces.of_machine[a] = std::min(pieces.of_machine[a], pieces.all[a]);
    pieces.of_process[a] = std::min(pieces.of_process[a], pieces.all[a]);
  }
  return pieces;
}

/// Seconds of a visit.
double visit_cost(const GridVisit& visit, const ProcessGrid& pieces, Index devices,
                  StepModel model) {
  model.halo_values = 1;
  model.bytes_per_value = visit.bytes_per_value;
  Index3 largest;
  for (int a = 0; a < 3; ++a) {
    largest[a] = (visit.cells[a] + pieces.all[a] - 1) / pieces.all[a];
  }
  const auto patches = static_cast<double>((product(pieces.all) + devices - 1) / devices);
  const auto volume = static_cast<double>(product(largest));
  const double rows = volume / static_cast<double>(largest[0]);
  const double bandwidth = model.device.bandwidth(patches * volume * visit.bytes_per_cell);
  const double sweep =
      model.device.launch + volume * visit.bytes_per_cell / bandwidth + rows * model.device.row;
  return visit.sweeps * patches * (sweep + step_cost(largest, pieces, model).halo);
}

}  // namespace

/// A copy, in it a message of each of the other pieces, one after the other.
double gathering_seconds(const GridVisit& visit, const ProcessGrid& pieces,
                         const StepModel& model) {
  const NeighborLinks& links = model.links;
  const auto all = static_cast<double>(product(pieces.all));
  const LinkModel& way = product(pieces.of_machine) < product(pieces.all) ? links.between_machines
                         : product(pieces.of_process) < product(pieces.of_machine)
                             ? links.in_machine
                             : links.in_process;
  const double bytes = static_cast<double>(product(visit.cells)) * visit.bytes_per_value;
  return 2 * (model.device.launch + (all - 1) * way.latency +
              bytes * (1 - 1 / all) / way.bytes_per_second);
}

ProcessGrid pieces_of(const Decomposition& decomposition) {
  ProcessGrid pieces{decomposition.process_grid(), {}, {}};
  for (int a = 0; a < 3; ++a) {
    pieces.of_process[a] = std::max<Index>(1, pieces.all[a] / decomposition.ranks[a]);
    pieces.of_machine[a] = pieces.of_process[a] * decomposition.ranks_of_machine[a];
  }
  return pieces;
}

Amalgamation amalgamate(const std::vector<GridVisit>& visits, const ProcessGrid& pieces,
                        Index devices, const StepModel& model) {
  Amalgamation best;
  // From the coarsest up: what the grids below take on one device, and what the best is of them.
  double on_one = 0;
  for (std::size_t n = visits.size(); n-- > 0;) {
    const ProcessGrid here = spread(visits[n].cells, pieces);
    const ProcessGrid above = n > 0 ? spread(visits[n - 1].cells, pieces) : pieces;
    const double ways = gathering_seconds(visits[n], above, model);
    const double cost =
        visit_cost(visits[n], here, devices, model) + (here.all == above.all ? 0 : ways);
    on_one += visit_cost(visits[n], {}, 1, model);
    best.gathered = on_one + ways;
    best.spread += cost;
    best.seconds += cost;
    if (best.gathered < best.seconds) {
      best.seconds = best.gathered;
      best.first = n;
    }
  }
  return best;
}

Amalgamation predicted_amalgamation(const Decomposition& finer, const GridState& grid) {
  const Settings& settings = grid.context->settings();
  const Index patches = finer.patches(), ranks = product(finer.ranks);
  if (grid.coarsening.visits.empty() || patches == 1 || is_mixed(settings)) return {};
  const auto named = static_cast<Index>(settings.devices.size());
  const bool is_cpu = settings.backend == Backend::cpu || settings.backend == Backend::reference;
  const Index devices = is_cpu ? ranks : named > 0 ? std::min(patches, ranks * named) : patches;
  return amalgamate(grid.coarsening.visits, pieces_of(finer), devices, step_model_of(grid));
}

}  // namespace goban
