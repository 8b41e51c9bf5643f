#include "goban/grid/list_neighbors.hpp"

namespace goban {

ListNeighbors::ListNeighbors(const GridState& grid, const ActiveCells::Tile& tile)
    : grid_(grid), list_(*grid.list), tile_(tile) {
  for (std::size_t a = 0; a < 3; ++a) {
    is_at_end_ =
        is_at_end_ || tile.at[a] == 0 || ActiveCells::side * (tile.at[a] + 2) > list_.box()[a];
  }
}

ListNeighbor ListNeighbors::at(Index3 cell, const std::array<int, 3>& offset) {
  std::array<int, 3> place{}, by{};
  bool is_near = !is_at_end_;
  for (std::size_t a = 0; a < 3; ++a) {
    const Index from_tile = cell[a] + offset[a] - ActiveCells::side * tile_.at[a];
    is_near = is_near && from_tile >= -ActiveCells::side && from_tile < 2 * ActiveCells::side;
    by[a] = from_tile < 0 ? -1 : from_tile < ActiveCells::side ? 0 : 1;
    place[a] = static_cast<int>(from_tile - ActiveCells::side * by[a]);
  }
  if (!is_near) return anywhere({cell[0] + offset[0], cell[1] + offset[1], cell[2] + offset[2]});
  const ActiveCells::Tile* const tile = beside(by[0], by[1], by[2]);
  return {tile ? ActiveCells::number_in(*tile, place[0], place[1], place[2]) : -1, 0};
}

ListNeighbor ListNeighbors::anywhere(Index3 cell) const {
  int face = 0;
  for (int a = 0; a < 3; ++a) {
    const Index cells = list_.box()[a];
    if (cell[a] >= 0 && cell[a] < cells) continue;
    if (grid_.is_box_periodic(a)) {
      cell[a] = (cell[a] % cells + cells) % cells;
    } else {
      face = 1 + 2 * a + (cell[a] < 0 ? 0 : 1);
    }
  }
  if (face > 0) return {-1, face};
  return {list_.find(cell), 0};
}

const ActiveCells::Tile* ListNeighbors::beside(int x, int y, int z) {
  if (x == 0 && y == 0 && z == 0) return &tile_;
  const auto n = static_cast<std::size_t>(13 + x + 3 * (y + 3 * z));
  if (!is_known_[n]) {
    is_known_[n] = true;
    tiles_[n] = list_.tile_at({tile_.at[0] + x, tile_.at[1] + y, tile_.at[2] + z});
  }
  return tiles_[n];
}

bool ListNeighbors::are_all_within(Index begin, Index end) {
  if (is_at_end_) return false;
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const ActiveCells::Tile* const tile = beside(x, y, z);
        if (tile && (tile->first < begin || tile->first + tile->count() > end)) return false;
      }
    }
  }
  return true;
}

}  // namespace goban
