#pragma once
// What patches of a list of active cells read of each other.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "goban/grid/cell_numbers.hpp"
#include "goban/grid/decomposition.hpp"
#include "goban/grid/grid.hpp"

namespace goban {

/// How well a list of active cells is cut.
struct ListCut {
  double imbalance = 0;  ///< cells of the largest patch over the mean, less 1
  Index most_read = 0;   ///< cells of others that a patch reads, at most
  Index read = 0;        ///< those of all patches together
};

/// A patch has the cells of others that lie near its own, its ghosts, behind these in memory:
/// nearest first, then by patch and number. Those within fewer cells are the first of those within
/// more, so that they stay where they are when some functor reads farther.
class ListHalos {
 public:
  using Offsets = std::vector<std::array<int, 3>>;
  /// Finds the ghosts of the patches of a rank within `reach` cells, at most a tile; `first`: the
  /// number of the grid's first patch.
  ListHalos(const GridState& grid, const Decomposition& cut, int first, int rank, int reach);

  int reach() const { return reach_; }
  /// The ghosts within so many cells of each of the rank's patches.
  std::vector<Index> ghosts(int reach) const;
  /// The local number of a cell that cells of one of the rank's patches may find beside them; -1:
  /// it is farther away.
  std::int32_t local(int patch, Index number) const;
  /// The rank's own patch that has the cell with this number; -1: it has none.
  int owner(Index number) const;
  /// The longest run of a patch's cells that find all that they read among its own.
  Box inner(int patch) const;
  /// The offsets from a cell to all within the reach.
  Offsets all() const;
  /// Patches that one of the rank's reads cells of; as many read its own.
  const std::vector<int>& beside(int patch) const { return of(patch).beside; }
  /// What `to` reads of `from`, at one of these offsets from its own cells; source or target is
  /// empty where another rank has the patch.
  std::shared_ptr<const CellNumbers> cells(int from, int to, const Offsets& offsets) const;

 private:
  struct Ghost {
    int ring = 0, patch = 0;
    Index number = 0;
    auto operator<=>(const Ghost&) const = default;
  };
  struct Own {
    Box owned;
    std::vector<Index> edge;    ///< cells beside which some of others lie
    std::vector<Ghost> ghosts;  ///< ghosts in their order in memory
    /// Where each number stands among the ghosts.
    std::vector<std::pair<Index, std::int32_t>> places;
    std::vector<int> beside;
  };
  const Own& of(int patch) const { return own_.at(patch); }
  Own make(int patch) const;
  int patch_of(Index number) const;
  std::vector<Index> numbers(int patch, int other, const Offsets& offsets, int sign) const;

  const GridState& grid_;
  Decomposition cut_;
  int first_, rank_, reach_;
  std::map<int, Own> own_;
};

/// `ghosts`: of each patch.
ListCut list_cut(const Decomposition& cut, const std::vector<Index>& ghosts);

}  // namespace goban
