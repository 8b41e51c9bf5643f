#include "goban/grid/cell_corners.hpp"

#include <bit>
#include <limits>

namespace goban {
namespace {

constexpr int side = ActiveCells::side;
constexpr Index none = std::numeric_limits<Index>::max();

/// Numbers of the cells of a tile and around it.
class Around {
 public:
  Around(const ActiveCells& list, const ActiveCells::Tile& tile) {
    std::array<const ActiveCells::Tile*, 27> tiles{};
    for (int n = 0; n < 27; ++n) {
      tiles[static_cast<std::size_t>(n)] = list.tile_at(
          {tile.at[0] + n % 3 - 1, tile.at[1] + n / 3 % 3 - 1, tile.at[2] + n / 9 - 1});
    }
    const auto part = [](int i) { return i < 0 ? 0 : i < side ? 1 : 2; };
    const auto within = [](int i) { return (i + side) % side; };
    for (int z = -1; z <= side; ++z) {
      for (int y = -1; y <= side; ++y) {
        for (int x = -1; x <= side; ++x) {
          const auto* const its =
              tiles[static_cast<std::size_t>(part(x) + 3 * (part(y) + 3 * part(z)))];
          const Index number =
              its ? ActiveCells::number_in(*its, within(x), within(y), within(z)) : -1;
          at(x, y, z) = number < 0 ? none : number;
        }
      }
    }
  }
  Index& at(int x, int y, int z) {
    return numbers_[static_cast<std::size_t>(x + 1 + (side + 2) * (y + 1 + (side + 2) * (z + 1)))];
  }

 private:
  std::array<Index, (side + 2) * (side + 2) * (side + 2)> numbers_{};
};

/// The cell that a corner belongs to, and which of its corners it is.
struct Owner {
  Index cell = none;
  int corner = 0;
};

Owner owner_of(Around& around, const std::array<int, 3>& cell, int corner) {
  Owner owner;
  for (int k = 0; k < 8; ++k) {
    const auto along = [&](int a) {
      return cell[static_cast<std::size_t>(a)] + (corner >> a & 1) - (k >> a & 1);
    };
    const Index number = around.at(along(0), along(1), along(2));
    if (number < owner.cell) owner = {number, k};
  }
  return owner;
}

/// visit(number, place in the tile, numbers around) for all active cells, in order.
template <class Visit>
void each_with_neighbors(const ActiveCells& list, Visit&& visit) {
  for (const ActiveCells::Tile& tile : list.tiles()) {
    Around around(list, tile);
    for (int z = 0; z < side; ++z) {
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
          const Index number = around.at(x, y, z);
          if (number != none) visit(number, std::array{x, y, z}, around);
        }
      }
    }
  }
}

}  // namespace

CellCorners::CellCorners(const ActiveCells& list) : list_(list), first_{0} {
  each_with_neighbors(list, [&](Index number, const std::array<int, 3>& cell, Around& around) {
    std::uint8_t own = 0;
    for (int corner = 0; corner < 8; ++corner) {
      if (owner_of(around, cell, corner).cell == number) {
        own = static_cast<std::uint8_t>(own | 1 << corner);
      }
    }
    owned_.push_back(own);
    first_.push_back(first_.back() + std::popcount(own));
  });
}

void CellCorners::each_corner(const std::function<void(Index3 corner)>& visit) const {
  list_.each_row(0, list_.size(), [&](Index3 first, Index number, Index count) {
    for (Index i = 0; i < count; ++i) {
      for (int corner = 0; corner < 8; ++corner) {
        if ((owned_[static_cast<std::size_t>(number + i)] >> corner & 1) == 0) continue;
        visit(first + Index3{i + (corner & 1), corner >> 1 & 1, corner >> 2});
      }
    }
  });
}

void CellCorners::each_cell(
    const std::function<void(const std::array<Index, 8>& corners)>& visit) const {
  each_with_neighbors(list_, [&](Index, const std::array<int, 3>& cell, Around& around) {
    std::array<Index, 8> corners{};
    for (int corner = 0; corner < 8; ++corner) {
      const Owner owner = owner_of(around, cell, corner);
      const auto n = static_cast<std::size_t>(owner.cell);
      const auto before = static_cast<unsigned>(owned_[n]) & ((1u << owner.corner) - 1);
      corners[static_cast<std::size_t>(corner)] = first_[n] + std::popcount(before);
    }
    visit(corners);
  });
}

}  // namespace goban
