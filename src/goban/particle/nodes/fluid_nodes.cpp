#include "goban/particle/nodes/fluid_nodes.hpp"

#include <algorithm>
#include <array>

#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

/// Pieces of an axis, cut at `cuts`, that [lower, upper) touches, or an image of it.
std::vector<Index> pieces_in(const std::vector<Index>& cuts, bool is_periodic, Index lower,
                             Index upper) {
  std::vector<Index> pieces;
  const Index n = cuts.back();
  for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
    for (Index shift = is_periodic ? -n : 0; shift <= (is_periodic ? n : 0); shift += n) {
      if (lower + shift < cuts[p + 1] && upper + shift > cuts[p]) {
        pieces.push_back(static_cast<Index>(p));
        break;
      }
    }
  }
  return pieces;
}

void add_to(std::vector<int>& ranks, int rank) {
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
  if (at == ranks.end() || *at != rank) ranks.insert(at, rank);
}

}  // namespace

FluidNodes::FluidNodes(std::shared_ptr<GridState> grid) : grid_(std::move(grid)) {
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    extents_[axis] = static_cast<double>(grid_->box_cells()[axis]);
    period_[axis] = grid_->is_box_periodic(a) ? extents_[axis] : 0;
  }
  if (!grid_->active) return;
  Index3 extents = grid_->box_cells();
  for (Index& extent : extents) extent = (extent + ActiveCells::side - 1) / ActiveCells::side;
  tiles_.assign(static_cast<std::size_t>(product(extents)), -1);
  for (const ActiveCells::Tile& tile : grid_->active->tiles()) {
    const Index at = tile.at[0] + extents[0] * (tile.at[1] + extents[1] * Index{tile.at[2]});
    tiles_[static_cast<std::size_t>(at)] = static_cast<device::int32>(planes_.size());
    planes_.insert(planes_.end(), tile.planes.begin(), tile.planes.end());
  }
}

device::GridNodes FluidNodes::tables() const {
  device::GridNodes nodes{};
  for (std::size_t a = 0; a < 3; ++a) {
    nodes.cells[a] = grid_->box_cells()[a];
    nodes.extents[a] = extents_[a];
    nodes.period[a] = period_[a];
  }
  if (!tiles_.empty()) nodes.tiles = tiles_.data();
  nodes.planes = planes_.data();
  return nodes;
}

std::vector<FluidNodes::Piece> FluidNodes::pieces_of(int axis, Index lower, Index upper) const {
  const Index n = grid_->box_cells()[static_cast<std::size_t>(axis)];
  const bool is_periodic = period_[static_cast<std::size_t>(axis)] > 0;
  std::vector<Piece> pieces;
  for (Index i = lower; i < upper; ++i) {
    const Index image = is_periodic ? (i + n) % n : i;
    const bool is_inside = image >= 0 && image < n;
    const Index tile = is_inside ? image / ActiveCells::side : -1;
    const bool goes_on = !pieces.empty() && pieces.back().tile == tile &&
                         (is_inside ? image % ActiveCells::side != 0
                                    : pieces.back().upper - pieces.back().lower < 8);
    if (goes_on) {
      ++pieces.back().upper;
    } else {
      pieces.push_back({i, i + 1, tile, is_inside ? image % ActiveCells::side : 0});
    }
  }
  return pieces;
}

bool FluidNodes::has_box(const device::Index (&lower)[3], const device::Index (&upper)[3]) const {
  for (std::size_t a = 0; a < 3; ++a) {
    if (period_[a] == 0 && (lower[a] < 0 || upper[a] > grid_->box_cells()[a])) return false;
  }
  return true;
}

Domain& FluidNodes::domain() const { return domain_of(*grid_); }
void FluidNodes::parallel(Index count, const std::function<void(Index, Index)>& work) const {
  const auto patches = domain().patches().of_grid(grid_->number);
  if (patches.empty()) return work(0, count);
  domain().executor(patches.front().patch).parallel(count, work);
}
Communicator& FluidNodes::communicator() const { return domain().communicator(); }
int FluidNodes::distribution() const { return domain().distribution(); }

bool FluidNodes::find(Index3& node) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const Index n = grid_->box_cells()[a];
    if (period_[a] > 0) node[a] = (node[a] + n) % n;
    if (node[a] < 0 || node[a] >= n) return false;
  }
  if (!grid_->active) return true;
  node = {grid_->list->find(node), 0, 0};
  return node[0] >= 0;
}

int FluidNodes::owner(double (&position)[3]) const {
  Index3 node{};
  if (!tables().bring_back(position)) return -1;
  for (std::size_t a = 0; a < 3; ++a) node[a] = static_cast<Index>(position[a]);
  if (!find(node)) return -1;
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  Index3 piece{};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& cuts = decomposition.cuts[a];
    piece[a] = std::upper_bound(cuts.begin(), cuts.end(), node[a]) - cuts.begin() - 1;
  }
  return decomposition.rank_of(decomposition.at(piece));
}

Index FluidNodes::count(const Box& region) const {
  if (!grid_->active) return region.volume();
  Index count = 0;
  grid_->active->each_row(0, grid_->active->size(), [&](Index3 cell, Index, Index cells) {
    const Box row{cell, {cell[0] + cells, cell[1] + 1, cell[2] + 1}};
    count += intersection(row, region).volume();
  });
  return count;
}

void FluidNodes::add_ranks(const Box& nodes, std::vector<int>& ranks) const {
  if (communicator().size() == 1) return add_to(ranks, 0);
  if (grid_->active) return add_ranks_of_list(nodes, ranks);
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  std::array<std::vector<Index>, 3> pieces;
  for (std::size_t a = 0; a < 3; ++a) {
    pieces[a] = pieces_in(decomposition.cuts[a], period_[a] > 0, nodes.lower[a], nodes.upper[a]);
  }
  for (const Index k : pieces[2]) {
    for (const Index j : pieces[1]) {
      for (const Index i : pieces[0]) {
        add_to(ranks, decomposition.rank_of(decomposition.at({i, j, k})));
      }
    }
  }
}

/// Ranks of all cells of the tiles that have some of the nodes.
void FluidNodes::add_ranks_of_list(const Box& nodes, std::vector<int>& ranks) const {
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  std::array<std::vector<Index>, 3> tiles;
  for (std::size_t a = 0; a < 3; ++a) {
    const Index n = grid_->box_cells()[a];
    for (Index i = nodes.lower[a]; i < nodes.upper[a]; ++i) {
      const Index image = period_[a] > 0 ? (i + n) % n : i;
      if (image >= 0 && image < n) tiles[a].push_back(image / ActiveCells::side);
    }
    std::sort(tiles[a].begin(), tiles[a].end());
    tiles[a].erase(std::unique(tiles[a].begin(), tiles[a].end()), tiles[a].end());
  }
  for (const Index k : tiles[2]) {
    for (const Index j : tiles[1]) {
      for (const Index i : tiles[0]) {
        const ActiveCells::Tile* const tile = grid_->list->tile_at({i, j, k});
        if (!tile) continue;
        for (const Index piece :
             pieces_in(decomposition.cuts[0], false, tile->first, tile->first + tile->count())) {
          add_to(ranks, decomposition.rank_of(decomposition.at({piece, 0, 0})));
        }
      }
    }
  }
}

Index3 FluidNodes::smallest_extents() const {
  Index3 smallest = grid_->box_cells();
  if (grid_->active) return smallest;
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  for (int rank = 0; rank < communicator().size(); ++rank) {
    const Box box = decomposition.owned_by(rank);
    if (box.empty()) continue;
    for (int a = 0; a < 3; ++a) {
      auto& extent = smallest[static_cast<std::size_t>(a)];
      extent = std::min(extent, box.extent(a));
    }
  }
  return smallest;
}

}  // namespace goban
