#pragma once
// The active cells of a box, as a list: what grids that leave most of their box out are made of.

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "goban/grid/box.hpp"

namespace goban {

/// Which cells of a box are active, and their order: tiles of 8 x 8 x 8 cells along a Morton curve,
/// or in parts, within a tile x fastest. Takes 0.3 bytes a cell of tiles that have some, nothing
/// for others.
class ActiveCells {
 public:
  static constexpr Index side = 8;  ///< cells of a tile along each axis

  /// One plane of cells for every z, a bit for every cell, x fastest.
  struct Tile {
    std::array<std::int32_t, 3> at{};       ///< its place among the tiles of the box
    std::array<std::uint16_t, 8> before{};  ///< active cells of the tile in lower planes
    std::array<std::uint64_t, 8> planes{};
    Index first = 0;        ///< number of its first active cell
    Index along_curve = 0;  ///< what that would be along the curve
    Index count() const;
  };

  /// Makes a list without cells.
  explicit ActiveCells(Index3 box) : box_(box) {}
  /// `is_active` is called for all cells of the box, by several threads.
  ActiveCells(Index3 box, const std::function<bool(Index3)>& is_active);
  /// Takes cells in any order; each counts once. Error (ExitCode::usage): a cell lies outside of
  /// the box.
  ActiveCells(Index3 box, const std::vector<Index3>& cells);
  /// Tiles in this order, part after part; see in_parts().
  ActiveCells(Index3 box, const std::vector<std::vector<Tile>>& parts);

  /// A cell of the box becomes active, or is active no more. What follows of numbers and tiles
  /// holds after sort(). Error (ExitCode::usage): it lies outside of the box.
  void add(Index3 cell);
  void remove(Index3 cell);
  void sort();
  bool contains(Index3 cell) const;

  Index3 box() const { return box_; }
  Index size() const { return size_; }
  const std::vector<Tile>& tiles() const { return tiles_; }
  /// The number of each part's first cell, and that of all cells; one part has all.
  const std::vector<Index>& parts() const { return parts_; }
  /// Where the cell with this number lies.
  Index3 operator[](Index number) const;
  /// The number of a cell; -1: it is not active.
  Index find(Index3 cell) const;
  /// The tile at this place; null: none of its cells is active.
  const Tile* tile_at(const Index3& at) const;
  /// The tile of an active cell.
  const Tile& tile_of(Index number) const;
  /// The number of a cell of a tile, which has this place in it; -1: it is not active.
  static Index number_in(const Tile& tile, int x, int y, int z);
  /// Calls visit(number along the curve, number, cells) for cells that follow each other in both
  /// orders, of those with numbers along the curve from `begin` to `end`.
  void each_run(
      Index begin, Index end,
      const std::function<void(Index along_curve, Index number, Index cells)>& visit) const;
  /// 64 bits that two lists share if they have the same cells of the same box in the same order.
  std::uint64_t hash() const;

  /// Calls visit(first cell, its number, cells) for rows of active neighbours along x, of those
  /// with numbers from `begin` to `end`.
  template <class Visit>
  void each_row(Index begin, Index end, Visit&& visit) const;
  /// Calls visit(cell, its number) for all active cells.
  template <class Visit>
  void each(Visit&& visit) const {
    each_row(0, size(), [&](Index3 first, Index number, Index cells) {
      for (Index i = 0; i < cells; ++i) visit(first + Index3{i, 0, 0}, number + i);
    });
  }

 private:
  void number_tiles();
  void sort_curve();

  Index3 box_;
  Index size_ = 0;
  std::vector<Index> parts_{0, 0};
  std::vector<Tile> tiles_;
  std::vector<std::uint32_t> curve_;                         ///< places of tiles along the curve
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  ///< places of tiles, by morton_key()
};

/// What GridOptions say of it: a function of cells, bytes that are not 0 where cells are active (x
/// fastest), active cells one by one, or a list that others use, too.
class Active {
 public:
  using List = std::shared_ptr<const ActiveCells>;
  Active() = default;
  template <class F>
  requires std::is_invocable_r_v<bool, const F&, Index3> Active(F is_active)  // NOLINT: implicit
      : make_([is_active](Index3 box) {
          return std::make_shared<const ActiveCells>(box, is_active);
        }) {}
  Active(const std::vector<std::uint8_t>& mask);  // NOLINT
  Active(const std::vector<Index3>& cells);       // NOLINT
  Active(List list);                              // NOLINT
  explicit operator bool() const { return make_ != nullptr; }
  /// Error (ExitCode::usage): no cell is active, or they are those of another box.
  List list(Index3 box) const;

 private:
  std::function<List(Index3 box)> make_;
};

template <class Visit>
void ActiveCells::each_row(Index begin, Index end, Visit&& visit) const {
  if (begin >= end) return;
  for (const Tile* tile = &tile_of(begin); tile != tiles_.data() + tiles_.size(); ++tile) {
    Index number = tile->first;
    if (number >= end) return;
    for (int z = 0; z < side; ++z) {
      for (int y = 0; y < side; ++y) {
        auto row =
            static_cast<unsigned>(tile->planes[static_cast<std::size_t>(z)] >> (8 * y)) & 255u;
        for (int x = 0; row != 0;) {
          const int skipped = __builtin_ctz(row);
          row >>= skipped;
          x += skipped;
          const int count = __builtin_ctz(~row);
          const Index from = std::max(number, begin), to = std::min(number + count, end);
          if (from < to) {
            visit(Index3{side * tile->at[0] + x + (from - number), side * tile->at[1] + y,
                         side * tile->at[2] + z},
                  from, to - from);
          }
          number += count;
          row >>= count;
          x += count;
        }
      }
    }
  }
}

}  // namespace goban
