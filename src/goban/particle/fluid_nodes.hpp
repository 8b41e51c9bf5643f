#pragma once
// The nodes of a fluid as bodies see them: which rank has one, and where its values lie. All that
// bodies know of a grid is here.

#include <memory>
#include <span>
#include <vector>

#include "goban/field/field.hpp"
#include "goban/particle/body.hpp"

namespace goban {

class Domain;
class Executor;

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
  /// Adds the ranks that have some of these nodes, or images of theirs, to a sorted list.
  void add_ranks(const Box& nodes, std::vector<int>& ranks) const;
  /// Of the boxes of all ranks.
  Index3 smallest_extents() const;

  Domain& domain() const;
  const std::shared_ptr<GridState>& grid() const { return grid_; }

 private:
  std::shared_ptr<GridState> grid_;
  Real3 extents_{}, period_{};
};

/// The fields through which bodies and fluid know each other.
struct CoupledFields {
  std::shared_ptr<FieldRecord> velocity, force;  ///< of float or double, 3 components
  std::shared_ptr<FieldRecord> solid;            ///< not 0: no fluid; null: it is everywhere
};

/// Velocities of the rank's nodes, and sums of forces on them.
class NodeValues {
 public:
  NodeValues(std::shared_ptr<const FluidNodes> nodes, CoupledFields fields);

  /// Waits for what computes the velocities. Sums are 0 then. Collective.
  void open();
  /// Calls use(std::span<const device::NodesOfPatch<T>>).
  template <class Use>
  void visit(const Use& use) const {
    float32_.empty() ? use(std::span(float64_)) : use(std::span(float32_));
  }
  /// The field of forces gets the sums, counted in `unit`. Collective.
  void store(double unit);

  /// Splits [0, n) among the threads of the rank.
  void parallel(Index n, const std::function<void(Index, Index)>& work) const;

 private:
  template <class T>
  void open_patches(std::vector<device::NodesOfPatch<T>>& patches);
  template <class T>
  void store_patches(const std::vector<device::NodesOfPatch<T>>& patches, double unit);
  bool are_on_devices() const;

  std::shared_ptr<const FluidNodes> nodes_;
  CoupledFields fields_;
  int distribution_ = -1;
  bool are_copies_ = false;  ///< of what devices have
  std::vector<device::NodesOfPatch<float>> float32_;
  std::vector<device::NodesOfPatch<double>> float64_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::byte> velocities_, solids_;  ///< copies
};

}  // namespace goban
