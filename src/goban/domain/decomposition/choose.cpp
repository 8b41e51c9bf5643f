#include "goban/domain/decomposition/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "goban/base/error.hpp"
#include "goban/domain/decomposition/balance.hpp"

namespace goban {
namespace {

/// visit(factors) for all ways to write n as a product of three.
template <class Visit>
void each_factorization(Index n, Visit&& visit) {
  for (Index x = 1; x <= n; ++x) {
    if (n % x != 0) continue;
    for (Index y = 1; y <= n / x; ++y) {
      if (n / x % y == 0) visit(Index3{x, y, n / x / y});
    }
  }
}

/// Ranks, or pieces, along each axis and how many of them one machine has.
struct Arrangement {
  Index3 all{1, 1, 1}, of_machine{1, 1, 1};
};

/// What the largest patch spends on exchanges: cells, those that lie scattered in memory counted
/// several times, and those that go to another machine.
double cost(Index3 cells, const Arrangement& arrangement) {
  constexpr Real3 weight{6, 1.2, 1};
  constexpr double between_machines = 4;
  const Index3& pieces = arrangement.all;
  Index3 largest;
  for (int a = 0; a < 3; ++a) largest[a] = (cells[a] + pieces[a] - 1) / pieces[a];
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    if (pieces[a] == 1) continue;
    const double way = pieces[a] > arrangement.of_machine[a] ? between_machines : 1;
    sum += way * weight[static_cast<std::size_t>(a)] * static_cast<double>(product(largest)) /
           static_cast<double>(largest[a]);
  }
  return sum;
}

bool divides(Index3 part, Index3 whole) {
  return whole[0] % part[0] == 0 && whole[1] % part[1] == 0 && whole[2] % part[2] == 0;
}

/// Of the ways to cut into as many pieces as possible, up to `most` in all and `limit` along each
/// axis, the one that costs least. A machine has `each` pieces; 1: as they come.
Arrangement cheapest(Index3 cells, Index3 limit, Index most, Index each) {
  for (Index n = most; n > 1; --n) {
    Arrangement best;
    double least = std::numeric_limits<double>::infinity();
    each_factorization(n, [&](Index3 pieces) {
      for (int a = 0; a < 3; ++a) {
        if (pieces[a] > limit[a]) return;
      }
      each_factorization(n % each == 0 ? each : 1, [&](Index3 of_machine) {
        if (!divides(of_machine, pieces)) return;
        const Arrangement tried{pieces, of_machine};
        if (const double c = cost(cells, tried); c < least) least = c, best = tried;
      });
    });
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

void place_ranks(Decomposition& decomposition, const std::vector<int>& machines) {
  const Index3 pieces = decomposition.process_grid();
  Index3 cells;
  for (int a = 0; a < 3; ++a) cells[a] = decomposition.cuts[static_cast<std::size_t>(a)].back();
  const auto ranks = static_cast<Index>(machines.size());
  const Arrangement chosen =
      cheapest(cells, pieces, std::min(ranks, product(pieces)), ranks_of_each(machines));
  decomposition.ranks = chosen.all;
  decomposition.ranks_of_machine = chosen.of_machine;
  decomposition.order = order_by_machine(machines);
}

namespace {

/// A piece for every device of every rank, along one axis those of a rank; CPUs beside GPUs start
/// with a small one.
Decomposition cut_for_devices(Index3 cells, const std::vector<int>& machines,
                              const std::vector<int>& devices) {
  constexpr double of_cpu = 1.0 / 16;
  constexpr Index least = 16;  // planes, which most halos fit
  const auto ranks = static_cast<Index>(machines.size());
  Index3 pieces = cheapest(cells, cells, ranks, ranks_of_each(machines)).all;
  const auto count = static_cast<Index>(devices.size());
  // Planes are contiguous: their halos are copied fastest.
  const std::size_t axis = cells[2] >= 2 * count * pieces[2] ? 2 : 1;
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

Decomposition cut(const GridState& grid, const std::vector<int>& machines) {
  const auto ranks = static_cast<Index>(machines.size());
  const Settings& settings = grid.context->settings();
  const bool has_cuts = std::any_of(settings.cuts.begin(), settings.cuts.end(),
                                    [](const std::string& cut) { return !cut.empty(); });
  if (has_cuts) return cut_explicitly(grid.cells, settings.cuts);
  if (settings.patches != Index3{}) {
    Index3 pieces = settings.patches;
    for (auto& n : pieces) n = std::max<Index>(n, 1);
    return cut_evenly(grid.cells, pieces);
  }
  if (is_mixed(settings) || (ranks == 1 && !settings.devices.empty())) {
    return cut_for_devices(grid.cells, machines, settings.devices);
  }
  const auto devices = std::max<Index>(1, static_cast<Index>(settings.devices.size()));
  return cut_evenly(
      grid.cells,
      cheapest(grid.cells, grid.cells, ranks * devices, ranks_of_each(machines) * devices).all);
}

}  // namespace

Decomposition choose_decomposition(const GridState& grid, const std::vector<int>& machines) {
  Decomposition decomposition = cut(grid, machines);
  if (machines.size() == 1) {
    require_patches(decomposition, grid.context->settings().devices.size());
  }
  place_ranks(decomposition, machines);
  return decomposition;
}

Decomposition decomposition_without_cpu(const GridState& grid, const std::vector<int>& machines) {
  std::vector<int> devices = grid.context->settings().devices;
  std::erase(devices, cpu_device);
  Decomposition decomposition = cut_for_devices(grid.cells, machines, devices);
  place_ranks(decomposition, machines);
  return decomposition;
}

}  // namespace goban
