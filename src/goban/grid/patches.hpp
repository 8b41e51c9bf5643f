#pragma once
// The patches of one rank, and where any other lies.

#include <array>
#include <memory>
#include <vector>

#include "goban/grid/decomposition.hpp"
#include "goban/grid/location.hpp"

namespace goban {

struct GridState;

/// A patch as the schedule sees it; local index 0 is the first owned cell.
struct PatchGeometry {
  int patch = 0;
  Box owned;                                     ///< global cells
  std::array<std::array<int, 2>, 3> neighbor{};  ///< patch number, -1 at a physical boundary
  std::array<bool, 3> extra{};                   ///< holds the last wall face along this axis

  bool is_interior(int axis, Side side) const { return neighbor[axis][index_of(side)] >= 0; }
  /// Owned values of a field at this location, local indices.
  Box owned_local(Location location) const;
  /// `by` on interior sides, nothing on physical ones.
  Extents interior(const Extents& by) const;
};

/// What one rank knows of a decomposition: its own patches and how to find out about the rest.
/// Takes no more memory for more ranks, the cuts aside.
class Patches {
 public:
  Patches(const Decomposition& decomposition, const GridState& grid, int rank);

  /// The rank's own, by rising number.
  auto begin() const { return local_.begin(); }
  auto end() const { return local_.end(); }
  std::size_t size() const { return local_.size(); }

  bool is_local(int patch) const { return rank_of(patch) == rank_; }
  int rank_of(int patch) const { return decomposition_->rank_of(patch); }
  /// Of a local one among these.
  std::size_t position(int patch) const;
  const PatchGeometry& operator[](int patch) const { return local_[position(patch)]; }
  /// Of any patch.
  PatchGeometry geometry(int patch) const;

  const Decomposition& decomposition() const { return *decomposition_; }
  bool is_periodic(int axis) const { return periodic_[static_cast<std::size_t>(axis)]; }
  /// Axes along which halos come from patches.
  std::array<bool, 3> joined() const;

 private:
  std::shared_ptr<const Decomposition> decomposition_;
  std::array<bool, 3> periodic_{};
  int rank_ = 0;
  std::vector<PatchGeometry> local_;
};

}  // namespace goban
