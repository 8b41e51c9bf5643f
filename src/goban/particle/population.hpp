#pragma once
// Bodies on ranks: who has which, who needs to know of it, and one step of all of them.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "goban/base/error.hpp"
#include "goban/particle/body_part.hpp"
#include "goban/particle/nodes/node_values.hpp"
#include "goban/particle/repulsion.hpp"
#include "goban/particle/share_of_step.hpp"

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
  Index count() const { return count_; }  ///< on all ranks
  /// By rising id.
  const std::vector<device::BodyState>& own() const;
  /// The part of a step's time that bodies take on this rank; 0: not known yet. See Bodies.
  double share() const { return share_.value(); }

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
  using States = std::vector<device::BodyState>;
  using Pushes = std::vector<device::BodyPush>;
  using Ranks = std::vector<int>;
  using Sums = std::vector<Index>;  ///< body_sums of each body
  using Time = std::chrono::steady_clock::time_point;
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
  Ranks ranks_near(const device::BodyState& body) const;
  std::vector<Ranks> ranks_near(const States& bodies) const;
  /// Bodies go where they belong; others hear of them.
  void distribute(const States& bodies);
  void sort_in(States bodies);

  device::BodyStep rules() const;
  void make_parts(const std::vector<CoupledNodes>& nodes);
  /// Executors have what this rank has.
  void fill_parts(NodeValues& values);
  /// All nodes that own bodies see are those of one executor.
  bool is_alone() const;
  void step_alone();
  void step_with_others();
  Sums sums_of_parts() const;
  void add_sums_of_others(Sums& sums);
  Pushes tell(const States& moved, const Pushes& pushes, States& after);
  /// After a step that began then and waited for so many seconds.
  void measure(Time begin, double waited);
  void look_for_failure(const BodyPart& part);
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
  mutable States own_;                            ///< by rising id
  States others_;                                 ///< by rising id
  mutable bool is_own_here_ = true;               ///< false: the only part has moved them
  bool are_parts_filled_ = false;                 ///< with own and others
  std::vector<std::unique_ptr<BodyPart>> parts_;  ///< one for each of NodeValues::parts()
  int steps_in_order_ = 0;                        ///< steps since parts were put in order
  ShareOfStep share_;
  Time latest_{};              ///< when the latest step began
  double latest_seconds_ = 0;  ///< that bodies took in it
  std::optional<Failure> failure_;
};

}  // namespace goban
