#include "goban/grid/active_cells.hpp"

#include <algorithm>
#include <bit>
#include <thread>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"

namespace goban {
namespace {

using Tile = ActiveCells::Tile;
using TilePlace = std::array<std::int32_t, 3>;

/// The bits of a number of 21 with two zeros between any two.
std::uint64_t spread_bits(std::int32_t number) {
  auto bits = static_cast<std::uint64_t>(number) & 0x1fffff;
  bits = (bits | bits << 32) & 0x1f00000000ffff;
  bits = (bits | bits << 16) & 0x1f0000ff0000ff;
  bits = (bits | bits << 8) & 0x100f00f00f00f00f;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
  return (bits | bits << 2) & 0x1249249249249249;
}
std::uint64_t morton(const TilePlace& at) {
  return spread_bits(at[0]) | spread_bits(at[1]) << 1 | spread_bits(at[2]) << 2;
}
bool is_before(const Tile& tile, std::uint64_t code) { return morton(tile.at) < code; }

/// Cells of a tile that lie in the box and are active.
Tile tile_of_box(TilePlace at, Index3 box, const std::function<bool(Index3)>& is_active) {
  Tile tile{at, {}, {}, 0};
  const auto lower = [&](std::size_t a) { return ActiveCells::side * at[a]; };
  const auto upper = [&](std::size_t a) { return std::min(box[a], lower(a) + ActiveCells::side); };
  for (Index z = lower(2); z < upper(2); ++z) {
    for (Index y = lower(1); y < upper(1); ++y) {
      for (Index x = lower(0); x < upper(0); ++x) {
        if (!is_active({x, y, z})) continue;
        tile.planes[static_cast<std::size_t>(z - lower(2))] |=
            std::uint64_t{1} << (8 * (y - lower(1)) + x - lower(0));
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
          const TilePlace at{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                             static_cast<std::int32_t>(z)};
          const Tile tile = tile_of_box(at, box, is_active);
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
  number_tiles();
}

ActiveCells::ActiveCells(Index3 box, const std::vector<Index3>& cells) : box_(box) {
  const Box all{{0, 0, 0}, box};
  std::vector<std::pair<std::uint64_t, Index3>> sorted;
  for (const Index3& cell : cells) {
    require(all.contains(cell), "an active cell lies outside of the box",
            to_string(Box{cell, cell + Index3{1, 1, 1}}) + " is not in " + to_string(all));
    sorted.emplace_back(morton({static_cast<std::int32_t>(cell[0] / side),
                                static_cast<std::int32_t>(cell[1] / side),
                                static_cast<std::int32_t>(cell[2] / side)}),
                        cell);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [code, cell] : sorted) {
    if (tiles_.empty() || morton(tiles_.back().at) != code) {
      tiles_.push_back(
          {{static_cast<std::int32_t>(cell[0] / side), static_cast<std::int32_t>(cell[1] / side),
            static_cast<std::int32_t>(cell[2] / side)},
           {},
           {},
           0});
    }
    tiles_.back().planes[static_cast<std::size_t>(cell[2] % side)] |=
        std::uint64_t{1} << (8 * (cell[1] % side) + cell[0] % side);
  }
  number_tiles();
}

void ActiveCells::number_tiles() {
  std::sort(tiles_.begin(), tiles_.end(),
            [](const Tile& a, const Tile& b) { return morton(a.at) < morton(b.at); });
  for (Tile& tile : tiles_) {
    tile.first = size_;
    Index cells = 0;
    for (std::size_t z = 0; z < side; ++z) {
      tile.before[z] = static_cast<std::uint16_t>(cells);
      cells += std::popcount(tile.planes[z]);
    }
    size_ += cells;
  }
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

const Tile* ActiveCells::tile_at(const TilePlace& at) const {
  const std::uint64_t code = morton(at);
  const auto found = std::lower_bound(tiles_.begin(), tiles_.end(), code, is_before);
  return found != tiles_.end() && found->at == at ? &*found : nullptr;
}

Index ActiveCells::number_in(const Tile& tile, int x, int y, int z) {
  const std::uint64_t plane = tile.planes[static_cast<std::size_t>(z)];
  const std::uint64_t bit = std::uint64_t{1} << (8 * y + x);
  if ((plane & bit) == 0) return -1;
  return tile.first + tile.before[static_cast<std::size_t>(z)] + std::popcount(plane & (bit - 1));
}

Index ActiveCells::find(Index3 cell) const {
  if (!Box{{0, 0, 0}, box_}.contains(cell)) return -1;
  const Tile* const tile =
      tile_at({static_cast<std::int32_t>(cell[0] / side), static_cast<std::int32_t>(cell[1] / side),
               static_cast<std::int32_t>(cell[2] / side)});
  return tile ? number_in(*tile, static_cast<int>(cell[0] % side), static_cast<int>(cell[1] % side),
                          static_cast<int>(cell[2] % side))
              : -1;
}

std::uint64_t ActiveCells::hash() const {
  std::uint64_t all = 0;
  for (const Index extent : box_) all = mix(all ^ static_cast<std::uint64_t>(extent));
  for (const Tile& tile : tiles_) {
    all = mix(all ^ morton(tile.at));
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
