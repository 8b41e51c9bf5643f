#include "goban/domain/decomposition/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "goban/base/error.hpp"
#include "goban/domain/decomposition/balance.hpp"

namespace goban {
namespace {

std::vector<Index> divisors_of(Index n) {
  std::vector<Index> low, high;
  for (Index d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    low.push_back(d);
    if (d != n / d) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

/// visit(factors) for all ways to write n as a product of three, the fewest along x first, of these
/// the fewest along y.
template <class Visit>
void each_factorization(Index n, Visit&& visit) {
  const std::vector<Index> divisors = divisors_of(n);
  for (const Index x : divisors) {
    for (const Index y : divisors) {
      if (n / x % y == 0) visit(Index3{x, y, n / x / y});
    }
  }
}

bool divides(Index3 part, Index3 whole) {
  return whole[0] % part[0] == 0 && whole[1] % part[1] == 0 && whole[2] % part[2] == 0;
}

/// Whether a way to cut is worth it that comes later in this order, which sends less in whole
/// planes: if it does not send fewer values, times of single ones are not known well enough for
/// less than 2 % of the halos.
bool is_cheaper(const StepCost& tried, const StepCost& best) {
  const double least_saving = tried.values < best.values ? 0 : 0.02;
  return tried.total() < best.total() - least_saving * best.halo;
}
constexpr StepCost no_way{std::numeric_limits<double>::infinity(), 0, 0};

/// Lists of active cells are cut between their parts where each piece gets as many.
Decomposition cut_into(const GridState& grid, const Index3& pieces) {
  Decomposition decomposition = cut_evenly(grid.cells, pieces);
  if (!grid.list) return decomposition;
  const auto& parts = grid.list->parts();
  const Index count = std::ssize(parts) - 1;
  if (count == 1 || count % pieces[0] != 0) return decomposition;
  for (Index n = 1; n < pieces[0]; ++n) {
    decomposition.cuts[0][static_cast<std::size_t>(n)] =
        parts[static_cast<std::size_t>(n * count / pieces[0])];
  }
  return decomposition;
}

/// How many pieces machines and processes have each; 1: as they come.
struct Groups {
  Index of_machine = 1, of_process = 1;
};

/// Cells of the largest piece.
Index3 largest_of(Index3 cells, Index3 pieces) {
  Index3 largest;
  for (int a = 0; a < 3; ++a) largest[a] = (cells[a] + pieces[a] - 1) / pieces[a];
  return largest;
}

/// Cells of the thinnest piece along an axis that is cut, as far as they matter.
Index room_of(Index3 cells, Index3 pieces, const StepModel& model) {
  Index room = model.room;
  for (int a = 0; a < 3; ++a) {
    if (pieces[a] > 1) room = std::min(room, cells[a] / pieces[a]);
  }
  return room;
}

/// Finds how to cut into n pieces, up to `limit` along each axis: among the cuts with the most room
/// for halos, the one whose step costs least. If there is none: one piece.
ProcessGrid cheapest_of(Index n, Index3 cells, Index3 limit, Groups groups,
                        const StepModel& model) {
  if (n % groups.of_machine != 0) groups = {};
  ProcessGrid best;
  Index most_room = 0;
  StepCost least = no_way;
  each_factorization(n, [&](Index3 all) {
    if (all[0] > limit[0] || all[1] > limit[1] || all[2] > limit[2]) return;
    const Index room = room_of(cells, all, model);
    if (room < most_room) return;
    each_factorization(groups.of_machine, [&](Index3 of_machine) {
      if (!divides(of_machine, all)) return;
      each_factorization(groups.of_process, [&](Index3 of_process) {
        if (!divides(of_process, of_machine)) return;
        const ProcessGrid tried{all, of_machine, of_process};
        const StepCost cost = step_cost(largest_of(cells, all), tried, model);
        if (room == most_room && !is_cheaper(cost, least)) return;
        most_room = room, least = cost, best = tried;
      });
    });
  });
  return best;
}

/// Finds how to cut into as many pieces as possible, up to `most`, as cheapest_of() does.
ProcessGrid cheapest(Index3 cells, Index3 limit, Index most, Groups groups,
                     const StepModel& model) {
  for (Index n = std::min(most, product(limit)); n > 1; --n) {
    const ProcessGrid best = cheapest_of(n, cells, limit, groups, model);
    if (product(best.all) == n) return best;
  }
  return {};
}

/// How many ranks every machine has; 1 where they differ.
Index ranks_of_each(const std::vector<int>& machines) {
  std::vector<Index> counts(machines.size(), 0);
  for (const int machine : machines) ++counts[static_cast<std::size_t>(machine)];
  const bool are_alike =
      std::all_of(counts.begin(), counts.end(), [&](Index n) { return n == 0 || n == counts[0]; });
  return are_alike ? counts[0] : 1;
}

/// Ranks machine by machine; null if they stand so already.
std::shared_ptr<const RankOrder> order_by_machine(const std::vector<int>& machines) {
  if (std::is_sorted(machines.begin(), machines.end())) return nullptr;
  auto order = std::make_shared<RankOrder>();
  order->rank_at.resize(machines.size());
  order->place_of.resize(machines.size());
  std::iota(order->rank_at.begin(), order->rank_at.end(), 0);
  std::stable_sort(order->rank_at.begin(), order->rank_at.end(), [&](int a, int b) {
    return machines[static_cast<std::size_t>(a)] < machines[static_cast<std::size_t>(b)];
  });
  for (std::size_t place = 0; place < machines.size(); ++place) {
    order->place_of[static_cast<std::size_t>(order->rank_at[place])] = static_cast<int>(place);
  }
  return order;
}

}  // namespace

void place_ranks(Decomposition& decomposition, const std::vector<int>& machines,
                 const StepModel& model) {
  const Index3 pieces = decomposition.process_grid();
  Index3 cells;
  for (int a = 0; a < 3; ++a) cells[a] = decomposition.cuts[static_cast<std::size_t>(a)].back();
  const auto ranks = static_cast<Index>(machines.size());
  const ProcessGrid chosen =
      cheapest(cells, pieces, ranks, {.of_machine = ranks_of_each(machines)}, model);
  decomposition.ranks = chosen.all;
  decomposition.ranks_of_machine = chosen.of_machine;
  decomposition.order = order_by_machine(machines);
}

namespace {

/// The most pieces along each axis: one where columns run.
Index3 most_pieces(const GridState& grid) {
  Index3 most = grid.cells;
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.is_whole[a]) most[a] = 1;
  }
  return most;
}

/// A piece for every device of every rank, along one axis those of a rank, whose cuts can follow
/// what each is worth; CPUs beside GPUs start with a small one.
Decomposition cut_along_axis(const GridState& grid, const std::vector<int>& machines,
                             const std::vector<int>& devices, const StepModel& model) {
  const Index3 cells = grid.cells;
  constexpr double of_cpu = 1.0 / 16;
  constexpr Index least = 16;  // planes, which most halos fit
  const auto ranks = static_cast<Index>(machines.size());
  Index3 pieces =
      cheapest(cells, most_pieces(grid), ranks, {.of_machine = ranks_of_each(machines)}, model).all;
  const auto count = static_cast<Index>(devices.size());
  // Planes are contiguous: their halos are copied fastest.
  const bool are_planes = cells[2] >= 2 * count * pieces[2] && !grid.is_whole[2];
  const std::size_t axis = are_planes ? 2 : grid.is_whole[1] ? 0 : 1;
  std::vector<double> weights;
  for (Index rank = 0; rank < pieces[axis]; ++rank) {
    for (const int device : devices) weights.push_back(device == cpu_device ? of_cpu : 1);
  }
  pieces[axis] *= count;
  Decomposition decomposition = cut_evenly(cells, pieces);
  decomposition.cuts[axis] = weighted_cuts(cells[axis], weights, least);
  return decomposition;
}

/// Devices without a patch would stand idle. Ranks that are cut for each other share theirs.
void require_patches(const Decomposition& decomposition, std::size_t devices) {
  const auto patches = static_cast<std::size_t>(decomposition.patches());
  require(patches >= devices,
          fmt::format("{} {} not enough for {} devices", patches,
                      patches == 1 ? "patch is" : "patches are", devices),
          "each computes patches of its own", "name fewer devices or more patches");
}

Decomposition cut(const GridState& grid, const std::vector<int>& machines, const StepModel& model) {
  const auto ranks = static_cast<Index>(machines.size());
  const Settings& settings = grid.context->settings();
  if (auto told = cut_as_told(grid)) return std::move(*told);
  if (is_mixed(settings) || (!settings.speeds.empty() && !settings.devices.empty())) {
    return cut_along_axis(grid, machines, settings.devices, model);
  }
  const auto devices = std::max<Index>(1, static_cast<Index>(settings.devices.size()));
  const Groups groups{ranks_of_each(machines) * devices, devices};
  return cut_into(grid,
                  cheapest(grid.cells, most_pieces(grid), ranks * devices, groups, model).all);
}

}  // namespace

std::optional<Decomposition> cut_as_told(const GridState& grid) {
  const Settings& settings = grid.context->settings();
  const bool has_cuts = std::any_of(settings.cuts.begin(), settings.cuts.end(),
                                    [](const std::string& cut) { return !cut.empty(); });
  if (has_cuts) return cut_explicitly(grid.cells, settings.cuts);
  if (settings.patches == Index3{}) return {};
  Index3 pieces = settings.patches;
  for (auto& n : pieces) n = std::max<Index>(n, 1);
  return cut_into(grid, pieces);
}

Decomposition choose_decomposition(const GridState& grid, const std::vector<int>& machines) {
  const StepModel model = step_model_of(grid);
  Decomposition decomposition = cut(grid, machines, model);
  if (machines.size() == 1) {
    require_patches(decomposition, grid.context->settings().devices.size());
  }
  place_ranks(decomposition, machines, model);
  return decomposition;
}

Decomposition decomposition_without_cpu(const GridState& grid, const std::vector<int>& machines) {
  std::vector<int> devices = grid.context->settings().devices;
  std::erase(devices, cpu_device);
  const StepModel model = step_model_of(grid);
  Decomposition decomposition = cut_along_axis(grid, machines, devices, model);
  place_ranks(decomposition, machines, model);
  return decomposition;
}

Decomposition decomposition_on_paper(const GridState& grid, const std::vector<int>& nodes,
                                     Index devices_per_rank, const StepModel& model) {
  const Groups groups{ranks_of_each(nodes) * devices_per_rank, devices_per_rank};
  const Index devices = static_cast<Index>(nodes.size()) * devices_per_rank;
  const ProcessGrid pieces = cheapest(grid.cells, most_pieces(grid), devices, groups, model);
  Decomposition decomposition = cut_into(grid, pieces.all);
  place_ranks(decomposition, nodes, model);
  return decomposition;
}

std::vector<Index3> process_grids_near(const GridState& grid, Index pieces,
                                       const std::vector<int>& nodes, Index devices_per_rank,
                                       double margin) {
  const StepModel model = step_model_of(grid);
  const Groups groups{ranks_of_each(nodes) * devices_per_rank, devices_per_rank};
  const Index3 limit = most_pieces(grid);
  Index most_room = 0;
  std::vector<std::pair<double, Index3>> all;
  each_factorization(pieces, [&](Index3 one) {
    // Into exactly so many pieces along each axis: no other way fits within it as limit.
    const ProcessGrid best = cheapest_of(pieces, grid.cells, one, groups, model);
    const bool is_allowed = one[0] <= limit[0] && one[1] <= limit[1] && one[2] <= limit[2];
    if (!is_allowed || best.all != one) return;
    most_room = std::max(most_room, room_of(grid.cells, one, model));
    all.emplace_back(step_cost(largest_of(grid.cells, one), best, model).total(), one);
  });
  std::erase_if(
      all, [&](const auto& one) { return room_of(grid.cells, one.second, model) < most_room; });
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Index3> near;
  for (const auto& [cost, one] : all) {
    if (cost <= (1 + margin) * all.front().first) near.push_back(one);
  }
  return near;
}

StepCost predicted_step(const GridState& grid, const Decomposition& decomposition) {
  Index3 largest{};
  ProcessGrid pieces{decomposition.process_grid(), {}, {}};
  for (int a = 0; a < 3; ++a) {
    for (Index n = 0; n < pieces.all[a]; ++n) {
      largest[a] = std::max(largest[a], decomposition.extent(a, n));
    }
    pieces.of_process[a] = std::max<Index>(1, pieces.all[a] / decomposition.ranks[a]);
    pieces.of_machine[a] = pieces.of_process[a] * decomposition.ranks_of_machine[a];
  }
  return step_cost(largest, pieces, step_model_of(grid));
}

}  // namespace goban
