#pragma once
// The patches of one rank, and where any other lies.

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "goban/grid/decomposition.hpp"
#include "goban/grid/location.hpp"

namespace goban {

class ListHalos;
struct GridState;

/// A patch as the schedule sees it; local index 0 is the first owned cell.
struct PatchGeometry {
  int patch = 0;
  int grid = 0;                                  ///< number in its family
  Box owned;                                     ///< global cells
  std::array<std::array<int, 2>, 3> neighbor{};  ///< patch number, -1 at a physical boundary
  std::array<bool, 3> extra{};                   ///< holds the last wall face along this axis

  bool is_interior(int axis, Side side) const { return neighbor[axis][index_of(side)] >= 0; }
  /// Owned values of a field at this location, local indices.
  Box owned_local(Location location) const;
  /// `by` on interior sides, nothing on physical ones.
  Extents interior(const Extents& by) const;
};

/// What one rank knows of the decompositions of a family of grids: its own patches and how to find
/// out about the rest. Takes no more memory for more ranks, the cuts aside. Patches are numbered
/// grid after grid.
class Patches {
 public:
  /// Makes the patches of the first grid of a family.
  Patches(const Decomposition& decomposition, const GridState& grid, int rank);
  /// Adds patches of the grid that comes next; numbers and positions of others stay.
  void add(const Decomposition& decomposition, const GridState& grid);

  int grids() const { return static_cast<int>(parts_.size()); }
  /// The rank's own of one grid, by rising number.
  std::span<const PatchGeometry> of_grid(int grid) const;

  /// The rank's own of all grids, by rising number.
  auto begin() const { return local_.begin(); }
  auto end() const { return local_.end(); }
  std::size_t size() const { return local_.size(); }

  bool is_local(int patch) const { return rank_of(patch) == rank_; }
  int rank_of(int patch) const {
    return part_of(patch).decomposition->rank_of(patch - part_of(patch).first);
  }
  /// Where any patch stands among all that its rank has.
  Index position_on_its_rank(int patch) const;
  /// How many patches a rank has.
  Index count_on(int rank) const;
  int grid_of(int patch) const { return static_cast<int>(&part_of(patch) - parts_.data()); }
  /// The patch at the same place of another grid that is cut alike.
  int counterpart(int patch, int grid) const { return patch - first(grid_of(patch)) + first(grid); }
  /// The number of a grid's first patch.
  int first(int grid) const { return part(grid).first; }
  /// Where a local one stands among these.
  std::size_t position(int patch) const;
  const PatchGeometry& operator[](int patch) const { return local_[position(patch)]; }
  /// The geometry of any patch.
  PatchGeometry geometry(int patch) const;

  /// How a grid is cut; its patches have numbers from first() on.
  const Decomposition& decomposition(int grid) const { return *part(grid).decomposition; }
  bool is_periodic(int grid, int axis) const {
    return part(grid).periodic[static_cast<std::size_t>(axis)];
  }
  /// What patches of a grid of active cells read of each other. Null: the grid has boxes, or
  /// nothing was said yet.
  const std::shared_ptr<const ListHalos>& lists(int grid) const { return part(grid).lists; }
  void set_lists(int grid, std::shared_ptr<const ListHalos> lists) {
    parts_[static_cast<std::size_t>(grid)].lists = std::move(lists);
  }
  /// Axes along which halos come from patches.
  std::array<bool, 3> joined(int grid) const;

 private:
  /// What is known of one grid.
  struct Part {
    std::shared_ptr<const Decomposition> decomposition;
    std::array<bool, 3> periodic{};
    std::shared_ptr<const ListHalos> lists;
    int first = 0;                   ///< number of its first patch
    std::size_t begin = 0, end = 0;  ///< among the rank's own
  };
  const Part& part(int grid) const { return parts_[static_cast<std::size_t>(grid)]; }
  const Part& part_of(int patch) const;

  std::vector<Part> parts_;
  int rank_ = 0;
  std::vector<PatchGeometry> local_;
};

}  // namespace goban
