#include "goban/grid/patches.hpp"

#include <algorithm>

#include "goban/grid/grid.hpp"

namespace goban {

Box PatchGeometry::owned_local(Location location) const {
  Box box{{0, 0, 0}, owned.extents()};
  for (int a = 0; a < 3; ++a) {
    if (extra[a] && is_staggered(location, a)) ++box.upper[a];
  }
  return box;
}

Extents PatchGeometry::interior(const Extents& by) const {
  Extents result;
  for (int a = 0; a < 3; ++a) {
    if (is_interior(a, Side::low)) result.low[a] = by.low[a];
    if (is_interior(a, Side::high)) result.high[a] = by.high[a];
  }
  return result;
}

Patches::Patches(const Decomposition& decomposition, const GridState& grid, int rank)
    : decomposition_(std::make_shared<const Decomposition>(decomposition)), rank_(rank) {
  for (int a = 0; a < 3; ++a) periodic_[static_cast<std::size_t>(a)] = grid.is_periodic(a);
  const Box block = decomposition.block_of(rank);
  Index3 c;
  for (c[2] = block.lower[2]; c[2] < block.upper[2]; ++c[2]) {
    for (c[1] = block.lower[1]; c[1] < block.upper[1]; ++c[1]) {
      for (c[0] = block.lower[0]; c[0] < block.upper[0]; ++c[0]) {
        local_.push_back(geometry(decomposition.at(c)));
      }
    }
  }
}

std::size_t Patches::position(int patch) const {
  const auto at = std::lower_bound(
      local_.begin(), local_.end(), patch,
      [](const PatchGeometry& geometry, int number) { return geometry.patch < number; });
  return static_cast<std::size_t>(at - local_.begin());
}

PatchGeometry Patches::geometry(int patch) const {
  PatchGeometry g;
  g.patch = patch;
  g.owned = decomposition_->owned(patch);
  const Index3 c = decomposition_->coordinates(patch), n = decomposition_->process_grid();
  for (int a = 0; a < 3; ++a) {
    const bool is_periodic = periodic_[static_cast<std::size_t>(a)];
    for (Side side : both_sides) {
      Index3 other = c;
      other[a] += side == Side::low ? -1 : 1;
      const bool outside = other[a] < 0 || other[a] >= n[a];
      other[a] = (other[a] + n[a]) % n[a];
      g.neighbor[a][index_of(side)] = outside && !is_periodic ? -1 : decomposition_->at(other);
    }
    g.extra[a] = !is_periodic && c[a] == n[a] - 1;
  }
  return g;
}

std::array<bool, 3> Patches::joined() const {
  std::array<bool, 3> joined{};
  for (std::size_t a = 0; a < 3; ++a) {
    joined[a] = periodic_[a] || decomposition_->process_grid()[static_cast<int>(a)] > 1;
  }
  return joined;
}

}  // namespace goban
