#pragma once
// A step of bodies in the memory of one executor, in parts that are computed of each body for
// itself. Text of kernels for all targets.
//
//   place_body   where it is
//   link_body    into lists of bodies that are near each other
//   repel_body   what others do to it
//   sum_node     adds what it sees of a node
//   move_body    by what it has seen
//   push_node_at (bodies.hpp) gives a node what it gets

#include "goban/backend/kernels/bodies.hpp"
#include "goban/backend/kernels/body_contact.hpp"

namespace goban::device {

/// Which nodes a grid has: all of a box, or those of active cells.
struct GridNodes {
  Index cells[3];  ///< of the box
  double extents[3];
  double period[3];  ///< extents along periodic axes, 0 along others
  /// Where the planes of each tile of 8^3 cells of the box begin, x fastest; -1: none of its cells
  /// is active. Null: all cells are.
  const int32* tiles;
  const uint64* planes;  ///< 8 of a tile, of 64 bits, x fastest

  /// It has the node, or an image of it.
  GOBAN_DEVICE bool has(const Index (&node)[3]) const {
    Index at[3];
    for (int a = 0; a < 3; ++a) {
      const Index n = cells[a], i = node[a];
      at[a] = period[a] > 0 ? (i < 0 ? i + n : i >= n ? i - n : i) : i;
      if (at[a] < 0 || at[a] >= n) return false;
    }
    if (!tiles) return true;
    const Index x = (cells[0] + 7) / 8, y = (cells[1] + 7) / 8;
    const int32 planes_at = tiles[at[0] / 8 + x * (at[1] / 8 + y * (at[2] / 8))];
    return planes_at >= 0 &&
           (planes[planes_at + at[2] % 8] >> (at[0] % 8 + 8 * (at[1] % 8)) & 1) != 0;
  }
  /// A position beyond an end that is periodic comes back at the other one; false: it lies beyond
  /// another.
  GOBAN_DEVICE bool bring_back(double (&position)[3]) const {
    for (int a = 0; a < 3; ++a) {
      double& x = position[a];
      if (period[a] > 0) {
        if (x < 0) x = x + period[a];
        if (x >= period[a]) x = x - period[a];
      }
      if (!(x >= 0 && x < extents[a])) return false;
    }
    return true;
  }
};

/// Sums in fixed point of what other bodies do to one, about its position.
struct FixedForce {
  int64 force[3], torque[3];
};

/// What is wrong with a body, in the order in which a step finds it.
enum class BodyTrouble : int { none, met, fast_fluid, left_fluid, too_fast, left_grid };
struct BodyFault {
  BodyTrouble trouble;
  int64 other;        ///< id of the one that it has met
  double numbers[3];  ///< how far they are apart; the speed; the position
};

/// A body in a list of those of some cells.
struct BodyLink {
  Index cell;
  int32 next;  ///< -1: it is the last
};

/// Cells at least as long as bodies see each other. Those with the same key share a list.
struct NearCells {
  Index count[3];
  uint64 mask;   ///< number of lists, a power of two, less 1
  int32* first;  ///< of each list; -1: it is empty

  GOBAN_DEVICE Index along(int axis, const GridNodes& grid, const BodyState& body) const {
    const double place =
        body.position[axis] / grid.extents[axis] * static_cast<double>(count[axis]);
    const auto i = static_cast<Index>(place);
    return i < 0 ? 0 : i >= count[axis] ? count[axis] - 1 : i;
  }
  GOBAN_DEVICE int32* list_of(Index cell) const {
    const uint64 mixed = static_cast<uint64>(cell) * 0x9e3779b97f4a7c15u;
    return first + (mixed >> 32 & mask);
  }
  /// The cell beside the i-th of an axis, or the same from the other end; false: there is none, or
  /// it was met before, as d rises from -1 to 1.
  GOBAN_DEVICE bool beside(int axis, bool is_periodic, Index i, int d, Index& other) const {
    const Index n = count[axis];
    other = i + d;
    if (other >= 0 && other < n) return true;
    other = other < 0 ? n - 1 : 0;
    return is_periodic && n > 2;
  }
};

/// All that parts of a step need. Everything that is pointed to lies in the memory of the executor.
struct BodyStep {
  GridNodes grid;
  RepulsionNumbers repulsion;
  double gravity[3];
  double wall_strength;
  const BodyNumbers* shapes;
  const NodesOfPatch* patches;
  int32 patch_count;
  int32 own, count;    ///< the bodies that move, and all
  int32 sees_missing;  ///< own bodies see here nodes that the grid does not have
  const int32* order;  ///< all of them so that neighbours follow each other, about
  BodyState* bodies;   ///< own, then others
  BodyState* moved;    ///< own, after the step
  BodyPlace* places;   ///< per body; made by `sum`
  NearCells near;
  BodyLink* links;     ///< per body
  FixedForce* forces;  ///< per own body; from others
  int64* sums;         ///< body_sums per body
  BodyPush* pushes;    ///< per body
  BodyFault* faults;   ///< per own body
  int32* has_failed;   ///< not 0: one has

  GOBAN_DEVICE const BodyNumbers& shape_of(const BodyState& body) const {
    return shapes[body.shape];
  }
};

GOBAN_DEVICE void place_body(const BodyStep& step, Index n) {
  step.places[n] = place_of(step.bodies[n], step.shape_of(step.bodies[n]).kernel);
}

/// Takes the place of a number that others exchange, too; returns it.
GOBAN_DEVICE int32 exchange(int32* at, int32 value) {
#ifdef __CUDACC_RTC__
  return atomicExch(at, value);
#else
  return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
#endif
}

GOBAN_DEVICE void link_body(const BodyStep& step, Index n) {
  const NearCells& near = step.near;
  const BodyState& body = step.bodies[n];
  const Index cell = near.along(0, step.grid, body) +
                     near.count[0] * (near.along(1, step.grid, body) +
                                      near.count[1] * near.along(2, step.grid, body));
  step.links[n] = {cell, exchange(near.list_of(cell), static_cast<int32>(n))};
}

/// Calls visit(m) for all other bodies that are in the cell of body n or beside it.
template <class Visit>
GOBAN_DEVICE void visit_near(const BodyStep& step, Index n, Visit&& visit) {
  const NearCells& near = step.near;
  Index at[3], to[3];
  for (int a = 0; a < 3; ++a) at[a] = near.along(a, step.grid, step.bodies[n]);
  for (int number = 0; number < 27; ++number) {
    const int d[3] = {number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
    bool is_there = true;
    for (int a = 0; a < 3; ++a) {
      is_there = near.beside(a, step.grid.period[a] > 0, at[a], d[a], to[a]) && is_there;
    }
    if (!is_there) continue;
    const Index cell = to[0] + near.count[0] * (to[1] + near.count[1] * to[2]);
    for (int32 m = *near.list_of(cell); m >= 0; m = step.links[m].next) {
      if (m != n && step.links[m].cell == cell) visit(m);
    }
  }
}

GOBAN_DEVICE void set_fault(const BodyStep& step, Index n, const BodyFault& fault) {
  step.faults[n] = fault;
  exchange(step.has_failed, 1);
}

/// Adds up what others do to an own body. Of two that have met the one with the smaller id has a
/// fault, of several the one that names the smallest.
GOBAN_DEVICE void repel_body(const BodyStep& step, Index n) {
  const BodyState& body = step.bodies[n];
  FixedForce sum{};
  visit_near(step, n, [&](Index m) {
    const BodyState& other = step.bodies[m];
    const bool is_first = body.id < other.id;
    const BodyState &a = is_first ? body : other, &b = is_first ? other : body;
    const PairForce pair = pair_force(step.repulsion, a, step.shape_of(a).semi_axes, b,
                                      step.shape_of(b).semi_axes, step.grid.period);
    const BodyFault& known = step.faults[n];
    if (pair.is_lost && is_first &&
        (known.trouble == BodyTrouble::none || other.id < known.other)) {
      set_fault(step, n, {BodyTrouble::met, other.id, {pair.gap, 0, 0}});
    }
    if (!pair.acts) return;
    for (int i = 0; i < 3; ++i) {
      sum.force[i] += is_first ? -pair.force_on_b[i] : pair.force_on_b[i];
      sum.torque[i] += is_first ? pair.torque_on_a[i] : pair.torque_on_b[i];
    }
  });
  step.forces[n] = sum;
}

/// Calls add(number, whole number) for what a node adds to the sums of body n.
template <class T, class Add>
GOBAN_DEVICE void sum_node(const BodyStep& step, Index n, const BodyPlace& place,
                           const Index (&at)[3], Add&& add) {
  for (int32 p = 0; p < step.patch_count; ++p) {
    Index local[3];
    if (step.patches[p].find(at, local)) {
      return add_node_at<T>(step.patches[p], place, at, local, add);
    }
  }
  if (!step.sees_missing || n >= step.own || step.grid.has(at)) return;
  double offset[3];
  const double w = weight_at(place, at, offset);
  if (w > 0) add_solid_node(place.per_unit, w, offset, add);
}

/// Gravity, other bodies, and what pushes it away from nodes without fluid.
GOBAN_DEVICE OuterForce outer_force(const BodyStep& step, Index n, const int64* sums) {
  const BodyState& body = step.bodies[n];
  const BodyNumbers& shape = step.shape_of(body);
  const BodyKernel& kernel = shape.kernel;
  const FixedForce& fixed = step.forces[n];
  const double solid = step.wall_strength * kernel.sum_unit /
                       (kernel.width[0] * kernel.width[1] * kernel.width[2] * kernel.reach);
  const Vector offset = to_nearest_node(body);
  OuterForce outer{};
  for (int a = 0; a < 3; ++a) {
    const double moment = static_cast<double>(sums[sum_solid_n + a]) +
                          offset[a] * static_cast<double>(sums[sum_solid]);
    const double force = static_cast<double>(fixed.force[a]) * step.repulsion.force_unit +
                         shape.excess * step.gravity[a];
    outer.force[a] = force - solid * moment;
    outer.torque[a] = static_cast<double>(fixed.torque[a]) * step.repulsion.torque_unit;
  }
  return outer;
}

/// By which bodies may move in a step.
inline constexpr double most_displacement = 0.5;

/// Moves a body; what is wrong with it then.
GOBAN_DEVICE BodyFault move(const BodyStep& step, Index n, BodyState& body, BodyPush& push) {
  const int64* const sums = step.sums + n * body_sums;
  const BodyNumbers& shape = step.shape_of(body);
  if (sums[sum_bad] != 0) return {BodyTrouble::fast_fluid, 0, {}};
  FlowAround flow = flow_around(sums, shape.kernel, body);
  if (sums[sum_stranded] != 0 || !flow.is_there) return {BodyTrouble::left_fluid, 0, {}};
  follow(flow, body);
  const OuterForce outer = outer_force(step, n, sums);
  push = advance(body, shape, flow, outer, step.repulsion.force_unit);
  double square = 0;
  for (int a = 0; a < 3; ++a) square = square + body.velocity[a] * body.velocity[a];
  if (!(square <= most_displacement * most_displacement)) {
    return {BodyTrouble::too_fast, 0, {root(square), 0, 0}};
  }
  const bool is_within = step.grid.bring_back(body.position);
  const double(&x)[3] = body.position;
  const Index node[3] = {floor_of(x[0]), floor_of(x[1]), floor_of(x[2])};
  if (!is_within || !step.grid.has(node)) return {BodyTrouble::left_grid, 0, {x[0], x[1], x[2]}};
  return {};
}

/// By what the sums over all nodes say. A body with which something is wrong stays.
GOBAN_DEVICE void move_body(const BodyStep& step, Index n) {
  BodyState body = step.bodies[n];
  BodyPush push{};
  const BodyFault fault = move(step, n, body, push);
  const bool is_well = fault.trouble == BodyTrouble::none;
  step.moved[n] = is_well ? body : step.bodies[n];
  step.pushes[n] = is_well ? push : BodyPush{};
  if (!is_well && step.faults[n].trouble == BodyTrouble::none) set_fault(step, n, fault);
}

}  // namespace goban::device
