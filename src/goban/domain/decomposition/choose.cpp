#include "goban/domain/decomposition/choose.hpp"

#include <algorithm>
#include <limits>

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

/// Cells that the largest patch exchanges, those that lie scattered in memory counted several
/// times.
double surface(Index3 cells, Index3 pieces) {
  constexpr Real3 weight{6, 1.2, 1};
  Index3 largest;
  for (int a = 0; a < 3; ++a) largest[a] = (cells[a] + pieces[a] - 1) / pieces[a];
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    if (pieces[a] == 1) continue;
    sum += weight[static_cast<std::size_t>(a)] * static_cast<double>(product(largest)) /
           static_cast<double>(largest[a]);
  }
  return sum;
}

/// Of the ways to cut into as many pieces as possible, up to `most` in all and `limit` along each
/// axis, the one with the least surface.
Index3 with_least_surface(Index3 cells, Index3 limit, Index most) {
  for (Index n = most; n > 1; --n) {
    Index3 best{};
    double least = std::numeric_limits<double>::infinity();
    each_factorization(n, [&](Index3 pieces) {
      for (int a = 0; a < 3; ++a) {
        if (pieces[a] > limit[a]) return;
      }
      if (const double s = surface(cells, pieces); s < least) least = s, best = pieces;
    });
    if (best != Index3{}) return best;
  }
  return {1, 1, 1};
}

}  // namespace

Index3 choose_ranks(const Decomposition& decomposition, int ranks) {
  const Index3 pieces = decomposition.process_grid();
  Index3 cells;
  for (int a = 0; a < 3; ++a) cells[a] = decomposition.cuts[static_cast<std::size_t>(a)].back();
  return with_least_surface(cells, pieces, std::min<Index>(ranks, product(pieces)));
}

namespace {

/// A piece for every device of every rank, along one axis those of a rank; CPUs beside GPUs start
/// with a small one.
Decomposition cut_for_devices(Index3 cells, Index ranks, const std::vector<int>& devices) {
  constexpr double of_cpu = 1.0 / 16;
  Index3 pieces = with_least_surface(cells, cells, ranks);
  const auto count = static_cast<Index>(devices.size());
  // Planes are contiguous: their halos are copied fastest.
  const std::size_t axis = cells[2] >= 2 * count * pieces[2] ? 2 : 1;
  std::vector<double> weights;
  for (Index rank = 0; rank < pieces[axis]; ++rank) {
    for (const int device : devices) weights.push_back(device == cpu_device ? of_cpu : 1);
  }
  pieces[axis] *= count;
  Decomposition decomposition = cut_evenly(cells, pieces);
  decomposition.cuts[axis] = weighted_cuts(cells[axis], weights, 1);
  return decomposition;
}

Decomposition cut(const GridState& grid, Index ranks) {
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
    return cut_for_devices(grid.cells, ranks, settings.devices);
  }
  const auto devices = std::max<Index>(1, static_cast<Index>(settings.devices.size()));
  return cut_evenly(grid.cells, with_least_surface(grid.cells, grid.cells, ranks * devices));
}

}  // namespace

Decomposition choose_decomposition(const GridState& grid, int ranks) {
  Decomposition decomposition = cut(grid, ranks);
  decomposition.ranks = choose_ranks(decomposition, ranks);
  return decomposition;
}

Decomposition decomposition_without_cpu(const GridState& grid, int ranks) {
  std::vector<int> devices = grid.context->settings().devices;
  std::erase(devices, cpu_device);
  Decomposition decomposition = cut_for_devices(grid.cells, ranks, devices);
  decomposition.ranks = choose_ranks(decomposition, ranks);
  return decomposition;
}

}  // namespace goban
