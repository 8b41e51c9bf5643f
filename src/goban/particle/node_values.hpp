#pragma once
// The fields through which bodies and fluid know each other, where they lie.

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "goban/backend/body_task.hpp"
#include "goban/particle/fluid_nodes.hpp"

namespace goban {

class Executor;

struct CoupledFields {
  std::shared_ptr<FieldRecord> velocity, force;  ///< fields of float or double, 3 components
  std::shared_ptr<FieldRecord> solid;            ///< not 0: no fluid; null: it is everywhere
};

/// What bodies see of this rank's nodes and do to them: on GPUs there, elsewhere on the host.
class NodeValues {
 public:
  NodeValues(std::shared_ptr<const FluidNodes> nodes, CoupledFields fields);

  /// Waits for what computes the velocities.
  void open();
  /// Adds device::body_sums integers of each body to `sums`.
  void add_sums(std::span<const device::BodyState> bodies,
                std::span<const device::BodyKernel> kernels, Index* sums) const;
  /// Likewise of nodes around them that no rank has, as of those without fluid.
  void add_missing(std::span<const device::BodyState> bodies,
                   std::span<const device::BodyKernel> kernels, Index* sums) const;
  /// Splits [0, count) among the threads that do the host's work.
  void parallel(Index count, const std::function<void(Index begin, Index end)>& work) const;
  /// The field of forces becomes what these bodies do to nodes, counted in `unit`.
  void push(std::span<const device::BodyState> bodies, std::span<const device::BodyPush> pushes,
            std::span<const device::BodyKernel> kernels, double unit);

 private:
  /// Patches whose values one executor has, with memory for sums of forces.
  struct Part {
    Executor* executor = nullptr;
    BodyTask task;
    std::shared_ptr<std::byte> memory;
    std::vector<std::shared_ptr<std::byte>> places;  ///< tables of patches of active cells
  };
  void allocate();
  void find_places(device::NodesOfPatch& nodes, Part& part) const;

  std::shared_ptr<const FluidNodes> nodes_;
  CoupledFields fields_;
  int distribution_ = -1;
  std::vector<Part> parts_;
};

}  // namespace goban
