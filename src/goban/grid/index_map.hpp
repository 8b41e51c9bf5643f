#pragma once
// Which cell of another grid of its family a cell stands for.

#include <optional>

#include "goban/grid/grid.hpp"

namespace goban {

/// Cell i of one grid stands for cell scale i of a finer, cell floor(i / 2) of a coarser one; the
/// same for faces, edges and nodes. Offsets at which a functor reads count from there, in cells of
/// the grid that is read.
struct IndexMap {
  std::array<Index, 3> scale{1, 1, 1};
  std::array<int, 3> halving{0, 0, 0};  ///< 1: indices are halved and rounded down

  constexpr bool operator==(const IndexMap&) const = default;
  constexpr bool is_identity() const { return *this == IndexMap{}; }
  constexpr Index operator()(int axis, Index i) const {
    const auto a = static_cast<std::size_t>(axis);
    return (i * scale[a]) >> halving[a];
  }
  constexpr Index3 operator()(Index3 i) const {
    return {(*this)(0, i[0]), (*this)(1, i[1]), (*this)(2, i[2])};
  }
};

/// The map for cells of `grid` and what is read on `read`: the same grid, the one that it is
/// coarsened from, or one that is coarsened from it. None: any other.
inline std::optional<IndexMap> index_map(const GridState& grid, const GridState& read) {
  IndexMap map;
  if (&read == &grid) return map;
  if (&read == grid.finer) {
    map.scale = grid.ratio;
    return map;
  }
  if (read.finer != &grid) return {};
  for (std::size_t a = 0; a < 3; ++a) map.halving[a] = read.ratio[a] == 2 ? 1 : 0;
  return map;
}

/// The box on the grid that is read, for cells of `box` and no offset.
constexpr Box image(const IndexMap& map, const Box& box) {
  if (box.empty()) return {};
  return {map(box.lower), map(box.upper - Index3{1, 1, 1}) + Index3{1, 1, 1}};
}

}  // namespace goban
