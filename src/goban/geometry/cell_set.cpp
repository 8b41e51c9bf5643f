#include "goban/geometry/cell_set.hpp"

#include <algorithm>

namespace goban {
namespace {

/// Two zeros before each of the lowest 21 bits.
std::uint64_t spread(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffffu;
  v = (v | v << 16) & 0x1f0000ff0000ffu;
  v = (v | v << 8) & 0x100f00f00f00f00fu;
  v = (v | v << 4) & 0x10c30c30c30c30c3u;
  return (v | v << 2) & 0x1249249249249249u;
}

}  // namespace

std::uint64_t morton_key(Index3 index) {
  const auto part = [&](std::size_t a) { return spread(static_cast<std::uint64_t>(index[a])); };
  return part(0) | part(1) << 1 | part(2) << 2;
}

std::uint64_t CellSet::key(Index3 cell) {
  return morton_key({cell[0] >> 3, cell[1] >> 3, cell[2] >> 3});
}

void CellSet::add(Index3 cell) {
  const auto [at, is_new] =
      numbers_.try_emplace(key(cell), static_cast<std::uint32_t>(tiles_.size()));
  if (is_new) tiles_.push_back({{cell[0] & ~Index{7}, cell[1] & ~Index{7}, cell[2] & ~Index{7}}});
  tiles_[at->second].planes[plane(cell)] |= std::uint64_t{1} << bit(cell);
}

void CellSet::remove(Index3 cell) {
  tiles_[numbers_.at(key(cell))].planes[plane(cell)] &= ~(std::uint64_t{1} << bit(cell));
}

void CellSet::sort() {
  std::erase_if(tiles_,
                [](const Tile& tile) { return tile.planes == std::array<std::uint64_t, 8>{}; });
  std::sort(tiles_.begin(), tiles_.end(),
            [](const Tile& a, const Tile& b) { return key(a.origin) < key(b.origin); });
  numbers_.clear();
  size_ = 0;
  for (std::size_t n = 0; n < tiles_.size(); ++n) {
    numbers_.emplace(key(tiles_[n].origin), static_cast<std::uint32_t>(n));
    tiles_[n].begin = size_;
    size_ += tile_size(static_cast<Index>(n));
  }
}

Index CellSet::tile_size(Index tile) const {
  Index count = 0;
  for (const std::uint64_t plane : tiles_[static_cast<std::size_t>(tile)].planes) {
    count += std::popcount(plane);
  }
  return count;
}

Index CellSet::rank(Index3 cell) const {
  const Tile* tile = find(cell);
  if (!tile || (tile->planes[plane(cell)] >> bit(cell) & 1) == 0) return -1;
  Index rank = tile->begin;
  for (std::size_t k = 0; k < plane(cell); ++k) rank += std::popcount(tile->planes[k]);
  const std::uint64_t below = (std::uint64_t{1} << bit(cell)) - 1;
  return rank + std::popcount(tile->planes[plane(cell)] & below);
}

}  // namespace goban
