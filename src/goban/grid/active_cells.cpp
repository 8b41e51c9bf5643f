#include "goban/grid/active_cells.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <thread>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"
#include "goban/base/morton.hpp"

namespace goban {
namespace {

using Tile = ActiveCells::Tile;
Index3 place_of(const Tile& tile) { return {tile.at[0], tile.at[1], tile.at[2]}; }
Tile tile_at_place(const Index3& at) {
  Tile tile;
  for (std::size_t a = 0; a < 3; ++a) tile.at[a] = static_cast<std::int32_t>(at[a]);
  return tile;
}
Index3 tile_of_cell(Index3 cell) {
  for (Index& along : cell) along /= ActiveCells::side;
  return cell;
}

std::size_t plane_of(Index3 cell) { return static_cast<std::size_t>(cell[2] % ActiveCells::side); }
std::uint64_t bit_of(Index3 cell) {
  return std::uint64_t{1} << (8 * (cell[1] % ActiveCells::side) + cell[0] % ActiveCells::side);
}

/// Cells of a tile that lie in the box and are active.
Tile tile_of_box(Index3 at, Index3 box, const std::function<bool(Index3)>& is_active) {
  Tile tile = tile_at_place(at);
  const auto lower = [&](std::size_t a) { return ActiveCells::side * at[a]; };
  const auto upper = [&](std::size_t a) { return std::min(box[a], lower(a) + ActiveCells::side); };
  for (Index z = lower(2); z < upper(2); ++z) {
    for (Index y = lower(1); y < upper(1); ++y) {
      for (Index x = lower(0); x < upper(0); ++x) {
        if (!is_active({x, y, z})) continue;
        tile.planes[plane_of({x, y, z})] |= bit_of({x, y, z});
      }
    }
  }
  return tile;
}

}  // namespace

Index Tile::count() const {
  Index cells = 0;
  for (const std::uint64_t plane : planes) cells += std::popcount(plane);
  return cells;
}

ActiveCells::ActiveCells(Index3 box, const std::function<bool(Index3)>& is_active) : box_(box) {
  Index3 tiles;
  for (std::size_t a = 0; a < 3; ++a) tiles[a] = (box[a] + side - 1) / side;
  const auto threads =
      static_cast<Index>(std::clamp<unsigned>(std::thread::hardware_concurrency(), 1, 16));
  std::vector<std::vector<Tile>> found(static_cast<std::size_t>(tiles[2]));
  const auto search = [&](Index first) {
    for (Index z = first; z < tiles[2]; z += threads) {
      for (Index y = 0; y < tiles[1]; ++y) {
        for (Index x = 0; x < tiles[0]; ++x) {
          const Tile tile = tile_of_box({x, y, z}, box, is_active);
          if (tile.count() > 0) found[static_cast<std::size_t>(z)].push_back(tile);
        }
      }
    }
  };
  std::vector<std::jthread> others;
  for (Index n = 1; n < std::min(threads, tiles[2]); ++n) others.emplace_back(search, n);
  search(0);
  others.clear();
  for (const auto& layer : found) tiles_.insert(tiles_.end(), layer.begin(), layer.end());
  sort();
}

ActiveCells::ActiveCells(Index3 box, const std::vector<Index3>& cells) : box_(box) {
  for (const Index3& cell : cells) add(cell);
  sort();
}

ActiveCells::ActiveCells(Index3 box, const std::vector<std::vector<Tile>>& parts) : box_(box) {
  for (const auto& part : parts) tiles_.insert(tiles_.end(), part.begin(), part.end());
  number_tiles();
  sort_curve();
  parts_ = {0};
  std::size_t tiles = 0;
  for (const auto& part : parts) {
    tiles += part.size();
    parts_.push_back(tiles < tiles_.size() ? tiles_[tiles].first : size_);
  }
}

void ActiveCells::add(Index3 cell) {
  const Box all{{0, 0, 0}, box_};
  require(all.contains(cell), "an active cell lies outside of the box",
          to_string(Box{cell, cell + Index3{1, 1, 1}}) + " is not in " + to_string(all));
  const Index3 at = tile_of_cell(cell);
  const auto [place, is_new] =
      places_.try_emplace(morton_key(at), static_cast<std::uint32_t>(tiles_.size()));
  if (is_new) tiles_.push_back(tile_at_place(at));
  tiles_[place->second].planes[plane_of(cell)] |= bit_of(cell);
}

void ActiveCells::remove(Index3 cell) {
  tiles_[places_.at(morton_key(tile_of_cell(cell)))].planes[plane_of(cell)] &= ~bit_of(cell);
}

bool ActiveCells::contains(Index3 cell) const {
  if (!Box{{0, 0, 0}, box_}.contains(cell)) return false;
  const Tile* const tile = tile_at(tile_of_cell(cell));
  return tile && (tile->planes[plane_of(cell)] & bit_of(cell)) != 0;
}

void ActiveCells::sort() {
  std::erase_if(tiles_, [](const Tile& tile) { return tile.count() == 0; });
  std::sort(tiles_.begin(), tiles_.end(), [](const Tile& a, const Tile& b) {
    return morton_key(place_of(a)) < morton_key(place_of(b));
  });
  number_tiles();
  for (Tile& tile : tiles_) tile.along_curve = tile.first;
  sort_curve();
  parts_ = {0, size_};
}

void ActiveCells::number_tiles() {
  places_.clear();
  size_ = 0;
  for (Tile& tile : tiles_) {
    places_.emplace(morton_key(place_of(tile)), static_cast<std::uint32_t>(&tile - tiles_.data()));
    tile.first = size_;
    Index cells = 0;
    for (std::size_t z = 0; z < side; ++z) {
      tile.before[z] = static_cast<std::uint16_t>(cells);
      cells += std::popcount(tile.planes[z]);
    }
    size_ += cells;
  }
}

void ActiveCells::sort_curve() {
  curve_.resize(tiles_.size());
  std::iota(curve_.begin(), curve_.end(), 0u);
  std::sort(curve_.begin(), curve_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return tiles_[a].along_curve < tiles_[b].along_curve;
  });
}

void ActiveCells::each_run(
    Index begin, Index end,
    const std::function<void(Index along_curve, Index number, Index cells)>& visit) const {
  if (begin >= end) return;
  auto at =
      std::upper_bound(curve_.begin(), curve_.end(), begin,
                       [&](Index n, std::uint32_t place) { return n < tiles_[place].along_curve; });
  Index along_curve = begin, number = 0, cells = 0;
  for (--at; at != curve_.end() && tiles_[*at].along_curve < end; ++at) {
    const Tile& tile = tiles_[*at];
    const Index from = std::max(begin, tile.along_curve) - tile.along_curve;
    if (cells > 0 && tile.first + from != number + cells) {
      visit(along_curve, number, cells);
      along_curve += cells;
      cells = 0;
    }
    if (cells == 0) number = tile.first + from;
    cells += std::min(end - tile.along_curve, tile.count()) - from;
  }
  visit(along_curve, number, cells);
}

const Tile& ActiveCells::tile_of(Index number) const {
  const auto after = std::upper_bound(tiles_.begin(), tiles_.end(), number,
                                      [](Index n, const Tile& tile) { return n < tile.first; });
  return *(after - 1);
}

Index3 ActiveCells::operator[](Index number) const {
  const Tile& tile = tile_of(number);
  Index left = number - tile.first;
  std::size_t z = side - 1;
  while (tile.before[z] > left) --z;
  left -= tile.before[z];
  std::uint64_t plane = tile.planes[z];
  for (; left > 0; --left) plane &= plane - 1;
  const Index bit = std::countr_zero(plane);
  return {side * tile.at[0] + bit % side, side * tile.at[1] + bit / side,
          side * tile.at[2] + static_cast<Index>(z)};
}

const Tile* ActiveCells::tile_at(const Index3& at) const {
  const auto found = places_.find(morton_key(at));
  if (found == places_.end()) return nullptr;
  const Tile& tile = tiles_[found->second];
  return place_of(tile) == at ? &tile : nullptr;
}

Index ActiveCells::number_in(const Tile& tile, int x, int y, int z) {
  const std::uint64_t plane = tile.planes[static_cast<std::size_t>(z)];
  const std::uint64_t bit = std::uint64_t{1} << (8 * y + x);
  if ((plane & bit) == 0) return -1;
  return tile.first + tile.before[static_cast<std::size_t>(z)] + std::popcount(plane & (bit - 1));
}

Index ActiveCells::find(Index3 cell) const {
  if (!Box{{0, 0, 0}, box_}.contains(cell)) return -1;
  const Tile* const tile = tile_at(tile_of_cell(cell));
  return tile ? number_in(*tile, static_cast<int>(cell[0] % side), static_cast<int>(cell[1] % side),
                          static_cast<int>(cell[2] % side))
              : -1;
}

std::uint64_t ActiveCells::hash() const {
  std::uint64_t all = 0;
  for (const Index extent : box_) all = mix(all ^ static_cast<std::uint64_t>(extent));
  for (const Tile& tile : tiles_) {
    all = mix(all ^ morton_key(place_of(tile)));
    for (const std::uint64_t plane : tile.planes) all = mix(all ^ plane);
  }
  return all;
}

Active::Active(const std::vector<std::uint8_t>& mask)
    : make_([mask](Index3 box) {
        require(static_cast<Index>(mask.size()) == product(box), "the active cells are refused",
                std::to_string(mask.size()) + " bytes were given for " +
                    std::to_string(product(box)) + " cells",
                "give one for every cell of the box, x fastest");
        return std::make_shared<const ActiveCells>(box, [&](Index3 i) {
          return mask[static_cast<std::size_t>(i[0] + box[0] * (i[1] + box[1] * i[2]))] != 0;
        });
      }) {}

Active::Active(const std::vector<Index3>& cells)
    : make_([cells](Index3 box) { return std::make_shared<const ActiveCells>(box, cells); }) {}

Active::Active(List list) : make_([list](Index3) { return list; }) {}

Active::List Active::list(Index3 box) const {
  constexpr Index most = Index{1} << 24;  // 21 bits for tiles
  for (const Index extent : box) {
    require(extent <= most, "the box of the active cells is too long",
            std::to_string(extent) + " cells along an axis", "take at most 16777216");
  }
  List list = make_(box);
  require(list->box() == box, "the active cells are refused", "they are those of another box",
          "give the grid as many cells");
  require(list->size() > 0, "the grid has no cells", "none is active");
  return list;
}

}  // namespace goban
