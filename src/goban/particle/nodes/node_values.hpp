#pragma once
// The fields through which bodies and fluid know each other, where they lie.

#include <memory>
#include <vector>

#include "goban/backend/body_task.hpp"
#include "goban/particle/nodes/fluid_nodes.hpp"

namespace goban {

class Executor;

struct CoupledFields {
  std::shared_ptr<FieldRecord> velocity, force;  ///< fields of float or double, 3 components
  std::shared_ptr<FieldRecord> solid;            ///< not 0: no fluid; null: it is everywhere
};

/// Nodes whose values one executor has.
struct CoupledNodes {
  Executor* executor = nullptr;
  ElementType type = ElementType::float64;
  std::vector<device::NodesOfPatch> patches;  ///< with memory for sums of forces
  std::shared_ptr<std::byte> memory;
  std::vector<std::shared_ptr<std::byte>> places;  ///< tables of patches of active cells
};

/// The nodes of this rank that bodies see and push.
class NodeValues {
 public:
  NodeValues(std::shared_ptr<const FluidNodes> nodes, CoupledFields fields);

  /// By the executors that have them; the same as long as FluidNodes::distribution().
  const std::vector<CoupledNodes>& parts();
  /// Fields lie where parts() says from now on, until the next sweep.
  void open();
  /// The values of the field of forces are new.
  void close();

 private:
  void allocate();
  void find_places(device::NodesOfPatch& nodes, CoupledNodes& part) const;

  std::shared_ptr<const FluidNodes> nodes_;
  CoupledFields fields_;
  int distribution_ = -1;
  std::vector<CoupledNodes> parts_;
};

}  // namespace goban
