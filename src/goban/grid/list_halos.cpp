#include "goban/grid/list_halos.hpp"

#include <algorithm>
#include <cstdlib>

#include "goban/base/error.hpp"
#include "goban/grid/list_neighbors.hpp"

namespace goban {
namespace {

using Offset = std::array<int, 3>;

int ring_of(const Offset& offset) {
  return std::max({std::abs(offset[0]), std::abs(offset[1]), std::abs(offset[2])});
}

ListHalos::Offsets all_within(int reach) {
  ListHalos::Offsets all;
  for (int z = -reach; z <= reach; ++z) {
    for (int y = -reach; y <= reach; ++y) {
      for (int x = -reach; x <= reach; ++x) {
        if (x != 0 || y != 0 || z != 0) all.push_back({x, y, z});
      }
    }
  }
  return all;
}

}  // namespace

ListHalos::ListHalos(const GridState& grid, const Decomposition& cut, int first, int rank,
                     int reach)
    : grid_(grid), cut_(cut), first_(first), rank_(rank), reach_(reach) {
  for (int n = 0; n < cut.patches(); ++n) {
    if (cut.rank_of(n) == rank) own_[first + n] = make(first + n);
  }
}

int ListHalos::patch_of(Index number) const {
  const auto& cuts = cut_.cuts[0];
  return first_ +
         static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), number) - cuts.begin()) - 1;
}

int ListHalos::owner(Index number) const {
  const int patch = patch_of(number);
  return own_.count(patch) > 0 ? patch : -1;
}

ListHalos::Own ListHalos::make(int patch) const {
  constexpr Index most = Index{1} << 31;
  Own own;
  own.owned = cut_.owned(patch - first_);
  const Index begin = own.owned.lower[0], end = own.owned.upper[0];
  const Offsets offsets = all_within(reach_);
  std::map<Index, int> rings;  // of ghosts
  const ActiveCells::Tile* tile = nullptr;
  std::optional<ListNeighbors> neighbors;
  bool is_inside = false;
  grid_.list->each_row(begin, end, [&](Index3 first, Index number, Index count) {
    if (const auto* its = &grid_.list->tile_of(number); its != tile) {
      tile = its;
      neighbors.emplace(grid_, *tile);
      is_inside = neighbors->are_all_within(begin, end);
    }
    for (Index i = 0; i < count && !is_inside; ++i) {
      bool is_edge = false;
      for (const Offset& offset : offsets) {
        const Index other = neighbors->at({first[0] + i, first[1], first[2]}, offset).number;
        if (other < 0 || (other >= begin && other < end)) continue;
        is_edge = true;
        const int ring = ring_of(offset);
        const auto [at, is_new] = rings.try_emplace(other, ring);
        at->second = std::min(at->second, ring);
      }
      if (is_edge) own.edge.push_back(number + i);
    }
  });
  for (const auto& [number, ring] : rings) {
    own.ghosts.push_back({ring, patch_of(number), number});
    own.beside.push_back(own.ghosts.back().patch);
  }
  std::sort(own.ghosts.begin(), own.ghosts.end());
  std::sort(own.beside.begin(), own.beside.end());
  own.beside.erase(std::unique(own.beside.begin(), own.beside.end()), own.beside.end());
  for (std::size_t n = 0; n < own.ghosts.size(); ++n) {
    own.places.emplace_back(own.ghosts[n].number, static_cast<std::int32_t>(n));
  }
  std::sort(own.places.begin(), own.places.end());
  require(end - begin + std::ssize(own.ghosts) < most, "a patch has too many active cells",
          std::to_string(end - begin) + " are more than 31 bits can number", "use more patches");
  return own;
}

ListHalos::Offsets ListHalos::all() const { return all_within(reach_); }

Box ListHalos::inner(int patch) const {
  const Own& own = of(patch);
  Index begin = own.owned.lower[0];
  Box widest;
  const auto add = [&](Index end) {
    const Box row{{begin - own.owned.lower[0], 0, 0}, {end - own.owned.lower[0], 1, 1}};
    if (row.volume() > widest.volume()) widest = row;
    begin = end + 1;
  };
  for (const Index edge : own.edge) add(edge);
  add(own.owned.upper[0]);
  return widest;
}

std::vector<Index> ListHalos::ghosts(int reach) const {
  std::vector<Index> all;
  for (const auto& [patch, own] : own_) {
    all.push_back(std::count_if(own.ghosts.begin(), own.ghosts.end(),
                                [&](const Ghost& g) { return g.ring <= reach; }));
  }
  return all;
}

ListCut list_cut(const Decomposition& cut, const std::vector<Index>& ghosts) {
  ListCut all;
  Index most = 0;
  for (int n = 0; n < cut.patches(); ++n) most = std::max(most, cut.extent(0, n));
  all.imbalance =
      static_cast<double>(most) * cut.patches() / static_cast<double>(cut.cuts[0].back()) - 1;
  for (const Index count : ghosts) {
    all.read += count;
    all.most_read = std::max(all.most_read, count);
  }
  return all;
}

std::int32_t ListHalos::local(int patch, Index number) const {
  const Own& own = of(patch);
  const Index begin = own.owned.lower[0], end = own.owned.upper[0];
  if (number >= begin && number < end) return static_cast<std::int32_t>(number - begin);
  const auto at =
      std::lower_bound(own.places.begin(), own.places.end(), std::pair{number, std::int32_t{0}});
  if (at == own.places.end() || at->first != number) return -1;
  return static_cast<std::int32_t>(end - begin) + at->second;
}

/// Own cells from which `sign` times an offset leads to cells of another patch, or (1) these.
std::vector<Index> ListHalos::numbers(int patch, int other, const Offsets& offsets,
                                      int sign) const {
  const Own& own = of(patch);
  std::vector<Index> all;
  const ActiveCells::Tile* tile = nullptr;
  std::optional<ListNeighbors> neighbors;
  for (const Index number : own.edge) {
    if (const auto* its = &grid_.list->tile_of(number); its != tile) {
      tile = its;
      neighbors.emplace(grid_, *tile);
    }
    const Index3 cell = (*grid_.list)[number];
    for (const Offset& o : offsets) {
      const Index there = neighbors->at(cell, {sign * o[0], sign * o[1], sign * o[2]}).number;
      if (there < 0 || patch_of(there) != other) continue;
      all.push_back(sign > 0 ? there : number);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::shared_ptr<const CellNumbers> ListHalos::cells(int from, int to,
                                                    const Offsets& offsets) const {
  auto list = std::make_shared<CellNumbers>();
  if (own_.count(to) > 0) {
    for (const Index number : numbers(to, from, offsets, 1)) {
      list->target.push_back(local(to, number));
    }
  }
  if (own_.count(from) > 0) {
    for (const Index number : numbers(from, to, offsets, -1)) {
      list->source.push_back(local(from, number));
    }
  }
  return list;
}

}  // namespace goban
