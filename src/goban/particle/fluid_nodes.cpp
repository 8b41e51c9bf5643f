#include "goban/particle/fluid_nodes.hpp"

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

}  // namespace

FluidNodes::FluidNodes(std::shared_ptr<GridState> grid) : grid_(std::move(grid)) {
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    extents_[axis] = static_cast<double>(grid_->cells[axis]);
    period_[axis] = grid_->is_periodic(a) ? extents_[axis] : 0;
  }
}

Domain& FluidNodes::domain() const { return domain_of(*grid_); }
Communicator& FluidNodes::communicator() const { return domain().communicator(); }
int FluidNodes::distribution() const { return domain().distribution(); }

int FluidNodes::owner(double (&position)[3]) const {
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  Index3 piece{};
  for (std::size_t a = 0; a < 3; ++a) {
    double& x = position[a];
    if (period_[a] > 0) {
      if (x < 0) x = x + period_[a];
      if (x >= period_[a]) x = x - period_[a];
    }
    if (!(x >= 0 && x < extents_[a])) return -1;
    const auto& cuts = decomposition.cuts[a];
    piece[a] = std::upper_bound(cuts.begin(), cuts.end(), static_cast<Index>(x)) - cuts.begin() - 1;
  }
  return decomposition.rank_of(decomposition.at(piece));
}

void FluidNodes::add_ranks(const Box& nodes, std::vector<int>& ranks) const {
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  std::array<std::vector<Index>, 3> pieces;
  for (std::size_t a = 0; a < 3; ++a) {
    pieces[a] = pieces_in(decomposition.cuts[a], period_[a] > 0, nodes.lower[a], nodes.upper[a]);
  }
  for (const Index k : pieces[2]) {
    for (const Index j : pieces[1]) {
      for (const Index i : pieces[0]) {
        const int rank = decomposition.rank_of(decomposition.at({i, j, k}));
        const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
        if (at == ranks.end() || *at != rank) ranks.insert(at, rank);
      }
    }
  }
}

Index3 FluidNodes::smallest_extents() const {
  const Decomposition& decomposition = domain().decomposition(grid_->number);
  Index3 smallest = grid_->cells;
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
