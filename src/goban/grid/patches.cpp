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
    : rank_(rank) {
  add(decomposition, grid);
}

void Patches::add(const Decomposition& decomposition, const GridState& grid) {
  Part part;
  part.decomposition = std::make_shared<const Decomposition>(decomposition);
  for (int a = 0; a < 3; ++a) part.periodic[static_cast<std::size_t>(a)] = grid.is_periodic(a);
  if (!parts_.empty()) part.first = parts_.back().first + parts_.back().decomposition->patches();
  part.begin = local_.size();
  parts_.push_back(part);
  const Box block = decomposition.block_of(rank_);
  Index3 c;
  for (c[2] = block.lower[2]; c[2] < block.upper[2]; ++c[2]) {
    for (c[1] = block.lower[1]; c[1] < block.upper[1]; ++c[1]) {
      for (c[0] = block.lower[0]; c[0] < block.upper[0]; ++c[0]) {
        local_.push_back(geometry(part.first + decomposition.at(c)));
      }
    }
  }
  parts_.back().end = local_.size();
}

std::span<const PatchGeometry> Patches::of_grid(int grid) const {
  return std::span(local_).subspan(part(grid).begin, part(grid).end - part(grid).begin);
}

const Patches::Part& Patches::part_of(int patch) const {
  auto at = parts_.end() - 1;
  while (at->first > patch) --at;
  return *at;
}

Index Patches::position_on_its_rank(int patch) const {
  const int grid = grid_of(patch), rank = rank_of(patch);
  Index before = 0;
  for (int g = 0; g < grid; ++g) before += decomposition(g).block_of(rank).volume();
  const Box block = decomposition(grid).block_of(rank);
  const Index3 at = decomposition(grid).coordinates(patch - first(grid)) - block.lower;
  const Index3 n = block.extents();
  return before + at[0] + n[0] * (at[1] + n[1] * at[2]);
}

Index Patches::count_on(int rank) const {
  Index count = 0;
  for (const Part& part : parts_) count += part.decomposition->block_of(rank).volume();
  return count;
}

std::size_t Patches::position(int patch) const {
  const auto at = std::lower_bound(
      local_.begin(), local_.end(), patch,
      [](const PatchGeometry& geometry, int number) { return geometry.patch < number; });
  return static_cast<std::size_t>(at - local_.begin());
}

PatchGeometry Patches::geometry(int patch) const {
  const Part& part = part_of(patch);
  const Decomposition& cut = *part.decomposition;
  PatchGeometry g;
  g.patch = patch;
  g.grid = grid_of(patch);
  g.owned = cut.owned(patch - part.first);
  const Index3 c = cut.coordinates(patch - part.first), n = cut.process_grid();
  for (int a = 0; a < 3; ++a) {
    const bool is_periodic = part.periodic[static_cast<std::size_t>(a)];
    for (Side side : both_sides) {
      Index3 other = c;
      other[a] += side == Side::low ? -1 : 1;
      const bool outside = other[a] < 0 || other[a] >= n[a];
      other[a] = (other[a] + n[a]) % n[a];
      g.neighbor[a][index_of(side)] = outside && !is_periodic ? -1 : part.first + cut.at(other);
    }
    g.extra[a] = !is_periodic && c[a] == n[a] - 1;
  }
  return g;
}

std::array<bool, 3> Patches::joined(int grid) const {
  std::array<bool, 3> joined{};
  for (std::size_t a = 0; a < 3; ++a) {
    joined[a] = part(grid).periodic[a] || decomposition(grid).process_grid()[a] > 1;
  }
  return joined;
}

}  // namespace goban
