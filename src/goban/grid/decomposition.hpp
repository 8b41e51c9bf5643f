#pragma once
// Which box is whose: the grid cut along each axis, every combination of pieces one patch.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "goban/grid/box.hpp"

namespace goban {

/// Which rank stands at which place of a process grid.
struct RankOrder {
  std::vector<int> rank_at;   ///< the rank at each place
  std::vector<int> place_of;  ///< the place of each rank
};

/// A tensor product of cuts. Patch numbers run x fastest; places of ranks likewise, those of one
/// machine first, then its neighbours'.
struct Decomposition {
  /// cuts[a] = {0, ..., cells[a]}, strictly increasing.
  std::array<std::vector<Index>, 3> cuts;
  /// Ranks along each axis, no more than patches: every one has a block of patches.
  Index3 ranks{1, 1, 1};
  /// The ranks of one machine, along each axis; they divide `ranks`.
  Index3 ranks_of_machine{1, 1, 1};
  /// Which rank stands where; null: rank r stands at place r.
  std::shared_ptr<const RankOrder> order{};

  Index3 process_grid() const {
    return {static_cast<Index>(cuts[0].size()) - 1, static_cast<Index>(cuts[1].size()) - 1,
            static_cast<Index>(cuts[2].size()) - 1};
  }
  int patches() const { return static_cast<int>(product(process_grid())); }
  Index3 coordinates(int patch) const;
  int at(Index3 coordinates) const;
  /// Global cells of a patch.
  Box owned(int patch) const;
  /// Cells of the n-th piece along an axis, and of the smallest.
  Index extent(int axis, Index n) const;
  Index smallest(int axis) const;
  /// Who has a patch; and the cells of a rank's block, none of ranks without one.
  int rank_of(int patch) const;
  Box owned_by(int rank) const;
  /// The first patch of a rank and, beyond the last, where its block ends; per axis.
  Box block_of(int rank) const;
};

/// The same patches for the same ranks.
bool is_cut_alike(const Decomposition& a, const Decomposition& b);
/// Even cuts: extents differ by at most one. Errors (ExitCode::usage): more pieces than cells.
Decomposition cut_evenly(Index3 cells, Index3 pieces);
/// Explicit extents per axis ("30,34"); an empty text is one piece. Errors: a sum that is not the
/// number of cells.
Decomposition cut_explicitly(Index3 cells, const std::array<std::string, 3>& extents);

}  // namespace goban
