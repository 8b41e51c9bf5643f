#pragma once
// Which rank has which node of a fluid.

#include <memory>
#include <vector>

#include "goban/field/field.hpp"
#include "goban/particle/body.hpp"

namespace goban {

class Domain;

/// Who has which node.
class FluidNodes {
 public:
  explicit FluidNodes(std::shared_ptr<GridState> grid);

  const Real3& extents() const { return extents_; }
  /// Extents along periodic axes, 0 along others.
  const Real3& period() const { return period_; }
  Communicator& communicator() const;
  /// Changes when nodes have come to other ranks.
  int distribution() const;

  /// The rank that has the node nearest to a position; -1: it lies beyond an end of the grid. A
  /// position beyond an end that is periodic comes back at the other one.
  int owner(double (&position)[3]) const;
  /// There is fluid at a node or its image, as far as the grid knows: it has it.
  bool has(Index3 node) const;
  /// Adds the ranks that have some of these nodes, or images of theirs, and perhaps others that
  /// have some beside them, to a sorted list.
  void add_ranks(const Box& nodes, std::vector<int>& ranks) const;
  /// Of the boxes of all ranks; of active cells, of which ranks have no boxes, of all.
  Index3 smallest_extents() const;

  Domain& domain() const;
  const std::shared_ptr<GridState>& grid() const { return grid_; }

 private:
  /// Its number in the list of active cells, or the cell itself; false: it is none.
  bool find(Index3& node) const;
  void add_ranks_of_list(const Box& nodes, std::vector<int>& ranks) const;

  std::shared_ptr<GridState> grid_;
  Real3 extents_{}, period_{};
};

}  // namespace goban
