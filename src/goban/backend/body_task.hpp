#pragma once
// What bodies do with the nodes around them.

#include <span>
#include <vector>

#include "goban/backend/kernels/bodies.hpp"
#include "goban/base/types.hpp"

namespace goban {

/// Bodies, and patches of which they may see nodes: these lie in the memory of one executor, the
/// rest in that of the host. Patches are of float or double.
struct BodyTask {
  ElementType type = ElementType::float64;
  std::vector<device::NodesOfPatch> patches;
  std::span<const device::BodyState> bodies;
  std::span<const device::BodyKernel> kernels;  ///< per shape
};

}  // namespace goban
