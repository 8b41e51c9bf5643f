#pragma once
// Bodies on ranks: who has which, who needs to know of it, and one step of all of them.

#include <functional>
#include <optional>
#include <span>

#include "goban/base/error.hpp"
#include "goban/particle/motion.hpp"
#include "goban/particle/node_values.hpp"
#include "goban/particle/repulsion.hpp"

namespace goban {

/// All bodies in one fluid.
struct BodyOptions {
  std::vector<BodyShape> shapes = {BodyShape{}};
  Repulsion repulsion{};
  /// Acceleration; a body feels it with what it is heavier than the fluid, (density - 1) volume.
  Real3 gravity{};
  /// A body is pushed away from nodes without fluid around it with this force times the mean of
  /// their p = (x - R) / reach, weighed by its kernel.
  double wall_strength = 0;
};

/// The bodies of this rank, and those of others that touch its nodes or are near its bodies. A body
/// belongs to the rank that has the nearest node. Calls are collective, bits the same on any ranks.
class Population {
 public:
  /// Errors (usage): a shape that is none.
  Population(std::shared_ptr<const FluidNodes> nodes, BodyOptions options);

  const BodyOptions& options() const { return options_; }
  const FluidNodes& nodes() const { return *nodes_; }
  const FixedUnits& units() const { return units_; }
  Index count() const { return count_; }                              ///< on all ranks
  const std::vector<device::BodyState>& own() const { return own_; }  ///< by rising id

  /// Bodies 0 to count - 1, of which every rank keeps its own. Errors (usage): one beyond the grid,
  /// larger than the part of a rank, of a shape that there is not; two that overlap.
  void place(Index count, const std::function<Body(Index id)>& body);
  /// Takes in bodies that ranks name, each once, in place of those that have their ids.
  void replace(const std::vector<device::BodyState>& bodies);
  /// To every rank the bodies with ids in a range of its own, by rising id.
  std::vector<device::BodyState> collect(Index first, Index last);

  /// One step: bodies and nodes push each other, bodies move. Errors (diverged): naming a body that
  /// moves by more than half a node, has left the grid, touches no fluid or has met another.
  void step(NodeValues& values);

 private:
  using Sums = std::vector<Index>;  ///< body_sums of each body
  /// What is wrong with the body of the smallest id that something is wrong with on this rank.
  struct Failure {
    Index id;
    Error error;
  };

  const BodyShape& shape_of(const device::BodyState& body) const {
    return options_.shapes[static_cast<std::size_t>(body.shape)];
  }
  void check_sizes() const;
  void check_overlaps();
  /// Ranks that have to know of a body where it is now.
  std::vector<int> ranks_near(const device::BodyState& body) const;
  /// Bodies go where they belong; others hear of them.
  void distribute(const std::vector<device::BodyState>& bodies);
  void sort_in(std::vector<device::BodyState> bodies);

  /// Sums in fixed point.
  struct FixedForce {
    FixedVector force{}, torque{};
  };
  std::vector<FixedForce> pair_forces(const NodeValues& values);
  std::vector<OuterForce> outer_forces(const NodeValues& values);
  Sums sums_around(const NodeValues& values);
  void add_sums_of_others(Sums& sums);
  std::vector<device::BodyPush> move(const NodeValues& values, const Sums& sums,
                                     const std::vector<OuterForce>& outer);
  device::BodyPush move(device::BodyState& body, std::span<const Index> sums,
                        OuterForce outer) const;
  std::vector<device::BodyPush> tell(const std::vector<device::BodyState>& before,
                                     const std::vector<device::BodyPush>& pushes,
                                     std::vector<device::BodyState>& after);
  void fail(Index id, const Error& error);
  void settle();
  /// On all ranks that of the body with the smallest id.
  void throw_failure();

  std::shared_ptr<const FluidNodes> nodes_;
  BodyOptions options_;
  FixedUnits units_;
  std::vector<device::BodyKernel> kernels_;  ///< per shape
  double cutoff_ = 0;
  Index count_ = 0;
  int distribution_ = -1;
  std::vector<device::BodyState> own_, others_;  ///< by rising id
  std::optional<Failure> failure_;
};

}  // namespace goban
