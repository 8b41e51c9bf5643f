#include "goban/domain/decomposition/choose.hpp"

#include <algorithm>
#include <limits>

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

Decomposition cut(const GridState& grid, Index ranks) {
  const Settings& settings = grid.context->settings();
  const bool has_cuts = std::any_of(settings.cuts.begin(), settings.cuts.end(),
                                    [](const std::string& cut) { return !cut.empty(); });
  if (has_cuts) return cut_explicitly(grid.cells, settings.cuts);
  Index3 pieces = settings.patches;
  if (pieces == Index3{}) {
    const bool has_gpus = settings.backend == Backend::cuda;
    const auto devices = has_gpus ? static_cast<Index>(settings.gpus.size()) : Index{1};
    if (ranks > 1) {
      pieces = with_least_surface(grid.cells, grid.cells, ranks * devices);
    } else {
      // Planes are contiguous: their halos are copied fastest.
      (grid.cells[2] >= 2 * devices ? pieces[2] : pieces[1]) = devices;
    }
  }
  for (auto& n : pieces) n = std::max<Index>(n, 1);
  return cut_evenly(grid.cells, pieces);
}

}  // namespace

Decomposition choose_decomposition(const GridState& grid, int ranks) {
  Decomposition decomposition = cut(grid, ranks);
  decomposition.ranks = choose_ranks(decomposition, ranks);
  return decomposition;
}

}  // namespace goban
