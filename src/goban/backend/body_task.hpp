#pragma once
// The parts of a step of suspended bodies on one executor.

#include <vector>

#include "goban/backend/kernels/body_step.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// The bodies of one executor. What `step` points to lies in the executor's memory.
struct BodyTask {
  ElementType type = ElementType::float64;    ///< the type of the fields of its patches
  std::vector<device::NodesOfPatch> patches;  ///< the host's copy of the patches that `step` has
  double unit = 1;  ///< the unit in which forces on nodes are summed as integers
  device::BodyStep step{};
};

/// The parts of a step, in the order in which they run.
enum class BodyWork : std::uint8_t {
  repel,  ///< computes forces between bodies; it does not touch nodes
  sum,    ///< sums what the fluid's nodes do to bodies
  move,   ///< moves the rank's own bodies and computes what they do to the fluid
  push    ///< sets the fields of forces on the nodes
};

}  // namespace goban
