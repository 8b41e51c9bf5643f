#pragma once
// Nodes around a body, one after the other.

#include "goban/backend/kernels/bodies.hpp"

namespace goban {

/// `count` of them and as many more without a weight as fill a pack: offsets from the node nearest
/// to the body, weights, velocities of the fluid or forces on them.
struct NodeArrays {
  double *x, *y, *z, *w;
  double* u[3];
  device::int64* force[3];
  device::Index count;
};

/// What is computed of many nodes at once, compiled for several instruction sets.
struct NodeLoops {
  /// Which nodes of the rows of a body's box may have a weight, as offsets from the nearest node:
  /// those with |e_a . (x - R)| < 2 s_a for all axes of the body, and perhaps some beside them.
  void (*reach)(const device::BodyPlace& place, int* first, int* last);
  void (*weigh)(const NodeArrays& nodes, const device::BodyPlace& place);
  /// Adds what device::add_node adds; velocities are some, 0 where they were none.
  void (*add)(const NodeArrays& nodes, double per_unit, double (&sums)[device::body_sums]);
  /// As device::push_node does.
  void (*push)(const NodeArrays& nodes, const device::BodyPush& push);
};
inline constexpr device::Index nodes_of_pack = 8;

namespace baseline {
extern const NodeLoops node_loops;
}
namespace avx2 {
extern const NodeLoops node_loops;
}
namespace avx512 {
extern const NodeLoops node_loops;
}

}  // namespace goban
