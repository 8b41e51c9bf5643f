#pragma once
// Sets of cells in a box that is mostly empty: memory follows the cells, not the box.

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// A set of cells with indices 0 ... 2^21 - 1 along each axis, in tiles of 8^3 with a bit a cell:
/// some 100 bytes a tile that holds any. Cells have ranks, 0 ... size() - 1: tiles along a Morton
/// curve, within a tile x fastest.
class CellSet {
 public:
  static constexpr Index edge = 8;  ///< of a tile, in cells

  /// Adds a cell; ranks are known after sort().
  void add(Index3 cell);
  /// Removes a cell that is in the set.
  void remove(Index3 cell);
  /// Puts tiles in order, forgets empty ones and counts the cells.
  void sort();

  Index size() const { return size_; }
  bool contains(Index3 cell) const {
    const Tile* tile = find(cell);
    return tile && (tile->planes[plane(cell)] >> bit(cell) & 1) != 0;
  }
  /// -1: not in the set.
  Index rank(Index3 cell) const;
  /// Of tiles, in order.
  Index tiles() const { return static_cast<Index>(tiles_.size()); }
  Index3 tile_origin(Index tile) const { return tiles_[static_cast<std::size_t>(tile)].origin; }
  Index tile_size(Index tile) const;
  /// The first rank in a tile.
  Index tile_begin(Index tile) const { return tiles_[static_cast<std::size_t>(tile)].begin; }
  /// The tile, -1 if it holds nothing, that a cell lies in.
  Index tile_of(Index3 cell) const {
    const auto at = numbers_.find(key(cell));
    return at == numbers_.end() ? -1 : static_cast<Index>(at->second);
  }

  /// Calls use(cell, rank) for every cell, in the order of ranks.
  template <class Use>
  void each(const Use& use) const {
    for (Index tile = 0; tile < tiles(); ++tile) each_of(tile, use);
  }
  template <class Use>
  void each_of(Index tile, const Use& use) const {
    const Tile& all = tiles_[static_cast<std::size_t>(tile)];
    Index rank = all.begin;
    for (std::size_t k = 0; k < all.planes.size(); ++k) {
      for (std::uint64_t rest = all.planes[k]; rest != 0; rest &= rest - 1) {
        const auto n = static_cast<Index>(std::countr_zero(rest));
        use(all.origin + Index3{n % edge, n / edge, static_cast<Index>(k)}, rank++);
      }
    }
  }

 private:
  struct Tile {
    Index3 origin;
    Index begin = 0;
    std::array<std::uint64_t, 8> planes{};
  };

  static std::uint64_t key(Index3 cell);
  static std::size_t plane(Index3 cell) { return static_cast<std::size_t>(cell[2] & 7); }
  static unsigned bit(Index3 cell) {
    return static_cast<unsigned>((cell[1] & 7) * edge + (cell[0] & 7));
  }
  const Tile* find(Index3 cell) const {
    const Index tile = tile_of(cell);
    return tile < 0 ? nullptr : &tiles_[static_cast<std::size_t>(tile)];
  }

  std::vector<Tile> tiles_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< of tiles, by key
  Index size_ = 0;
};

/// Position of a cell along a Morton curve, whose bits are those of z, y and x in turn. Indices of
/// cells or tiles below 2^21; -1 becomes something that no index has.
std::uint64_t morton_key(Index3 index);

}  // namespace goban
