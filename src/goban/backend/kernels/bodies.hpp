#pragma once
// Bodies in a fluid: what one body does with the nodes around it. Text of kernels for all targets:
// the host compiles it, too.
//
// Lattice units: the distance of nodes, a step, the density of the fluid at rest. Node (i, j, k) is
// the middle of cell (i, j, k), at (i + 1/2, j + 1/2, k + 1/2).
//
// A body weighs a node at x by w = product over its axes a of phi(e_a . (x - R) / s_a): R is its
// position, e_a an axis that turns with it, s_a the width of its kernel there, phi the four-point
// function of Peskin (Acta Numerica 11 (2002) 479). All sums over nodes are of integers, so that
// neither order nor decomposition shows.

#include "goban/backend/kernels/body_vectors.hpp"
#include "goban/backend/kernels/types.hpp"

#if !GOBAN_KERNEL
#include <cmath>
#endif

namespace goban::device {

/// A body as messages, checkpoints and kernels have it.
struct BodyState {
  int64 id, shape;
  double position[3];    ///< within the grid
  double quaternion[4];  ///< real part first; turns the frame of the body into that of the grid
  double velocity[3];
  double rotation[3];  ///< angular velocity, in the frame of the grid
  /// The velocity of the fluid around the body a step ago and its gradient, d u_i / d x_j at i + 3
  /// j; not a number: the body has seen no fluid yet.
  double seen_velocity[3], seen_gradient[9];
};

/// Widths s_a of the kernel of a shape; all nodes with a weight are less than `reach` away. Sums
/// over nodes count in `sum_unit`, a power of two with which all of them stay below 2^53.
struct BodyKernel {
  double width[3];
  double reach;
  double sum_unit;
};

/// Where a body is, made once for all its nodes.
struct BodyPlace {
  double axes[3][3];  ///< axes[a]: e_a / s_a
  double position[3];
  double per_unit;  ///< how many units of a sum make 1
  Index base[3];    ///< the nearest node
  Index lower[3],
      upper[3];  ///< nodes that may have a weight; beyond the ends of periodic axes, too
};

/// Sums over nodes that bodies need, n the offset of a node from the one nearest to the body, u the
/// velocity of the fluid: of w, w n_i, w n_i n_j (xx, yy, zz, xy, xz, yz), w u_i, w u_i n_j over
/// nodes of fluid; of w, w n_i over others; how many velocities are none, whether there is no fluid
/// at the node nearest to the body; of w^2 over nodes of fluid. w, w^2 and w u_i are rounded to
/// integers at each node; what follows is exact, in doubles, too, as all of it stays below 2^53.
enum BodySum {
  sum_w = 0,
  sum_wn = 1,
  sum_wnn = 4,
  sum_wu = 10,
  sum_wun = 13,
  sum_solid = 22,
  sum_solid_n = 23,
  sum_bad = 26,
  sum_stranded = 27,
  sum_ww = 28
};
inline constexpr int body_sums = 29;

/// The largest velocity that is one.
inline constexpr double most_node_speed = 16;

/// What a body does to the fluid: the node at the offset n from the one nearest to the body gets
/// the force -w (force + gradient n), in `1 / per_unit`.
struct BodyPush {
  double force[3];
  double gradient[3][3];
  double per_unit;
};

/// The nearest integer; ties to even.
GOBAN_DEVICE int64 nearest(double x) {
#ifdef __CUDACC_RTC__
  return __double2ll_rn(x);
#else
  return __builtin_llrint(x);
#endif
}

/// The same of what is less than 2^51, as a double: 1.5 2^52 leaves no room for fractions.
GOBAN_DEVICE double rounded(double x) {
  constexpr double anchor = 6755399441055744.0;
  return (x + anchor) - anchor;
}

/// phi(y), which is 0 from |y| = 2 on; without branches, so that hosts compute it in packs.
GOBAN_DEVICE double four_point(double y) {
  const double far = y < 0 ? -y : y, r = far < 2 ? far : 2, rr = 4 * r * r;
  const double inner = 1 + 4 * r - rr, outer = 12 * r - 7 - rr;
  const double square = root(r <= 1 ? inner : outer), line = r <= 1 ? 3 : 5;
  const double sign = r <= 1 ? 1 : -1;
  return (line - 2 * r + sign * square) / 8;
}

/// axes[a]: axis a of a body with this quaternion.
GOBAN_DEVICE void body_axes(const double (&q)[4], double (&axes)[3][3]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  axes[0][0] = 1 - 2 * (y * y + z * z);
  axes[0][1] = 2 * (x * y + w * z);
  axes[0][2] = 2 * (x * z - w * y);
  axes[1][0] = 2 * (x * y - w * z);
  axes[1][1] = 1 - 2 * (x * x + z * z);
  axes[1][2] = 2 * (y * z + w * x);
  axes[2][0] = 2 * (x * z + w * y);
  axes[2][1] = 2 * (y * z - w * x);
  axes[2][2] = 1 - 2 * (x * x + y * y);
}

GOBAN_DEVICE Index floor_of(double x) {
  const auto n = static_cast<Index>(x);
  return static_cast<double>(n) > x ? n - 1 : n;
}

GOBAN_DEVICE BodyPlace place_of(const BodyState& body, const BodyKernel& kernel) {
  BodyPlace place;
  body_axes(body.quaternion, place.axes);
  place.per_unit = 1 / kernel.sum_unit;
  for (int i = 0; i < 3; ++i) {
    double far = 0;
    for (int a = 0; a < 3; ++a) {
      const double e = place.axes[a][i];
      far = far + 2 * kernel.width[a] * (e < 0 ? -e : e);
      place.axes[a][i] = e / kernel.width[a];
    }
    place.position[i] = body.position[i];
    place.base[i] = floor_of(body.position[i]);
    place.lower[i] = floor_of(body.position[i] - far - 0.5) + 1;
    place.upper[i] = floor_of(body.position[i] + far - 0.5) + 1;
  }
  return place;
}

/// Weight of the node at this offset from the nearest one.
GOBAN_DEVICE double weight_of(const BodyPlace& place, const double (&n)[3]) {
  double r[3], w = 1;
  for (int i = 0; i < 3; ++i) {
    r[i] = n[i] + (static_cast<double>(place.base[i]) + 0.5 - place.position[i]);
  }
  for (int a = 0; a < 3; ++a) {
    const double(&e)[3] = place.axes[a];
    w = w * four_point(e[0] * r[0] + e[1] * r[1] + e[2] * r[2]);
  }
  return w;
}

/// Calls add(number of a sum, whole number) for what a node of fluid adds to a body's sums.
template <class Add>
GOBAN_DEVICE void add_node(double per_unit, double w, const double (&n)[3], const double (&u)[3],
                           Add&& add) {
  const double whole = rounded(w * per_unit);
  const double wx = whole * n[0], wy = whole * n[1], wz = whole * n[2];
  add(sum_w, whole);
  add(sum_ww, rounded(w * per_unit * w));
  add(sum_wn, wx);
  add(sum_wn + 1, wy);
  add(sum_wn + 2, wz);
  add(sum_wnn, wx * n[0]);
  add(sum_wnn + 1, wy * n[1]);
  add(sum_wnn + 2, wz * n[2]);
  add(sum_wnn + 3, wx * n[1]);
  add(sum_wnn + 4, wx * n[2]);
  add(sum_wnn + 5, wy * n[2]);
  for (int i = 0; i < 3; ++i) {
    const bool is_speed = u[i] < most_node_speed && u[i] > -most_node_speed;
    const double wu = rounded(w * per_unit * (is_speed ? u[i] : 0.0));
    add(sum_bad, is_speed ? 0.0 : 1.0);
    add(sum_wu + i, wu);
    for (int j = 0; j < 3; ++j) add(sum_wun + 3 * i + j, wu * n[j]);
  }
}

/// Adds a node where there is no fluid.
template <class Add>
GOBAN_DEVICE void add_solid_node(double per_unit, double w, const double (&n)[3], Add&& add) {
  const double whole = rounded(w * per_unit);
  add(sum_solid, whole);
  for (int i = 0; i < 3; ++i) add(sum_solid_n + i, whole * n[i]);
  add(sum_stranded, n[0] == 0 && n[1] == 0 && n[2] == 0 ? 1.0 : 0.0);
}

/// Calls add(axis, integer) for the force on a node.
template <class Add>
GOBAN_DEVICE void push_node(const BodyPush& push, double w, const double (&n)[3], Add&& add) {
  const double scaled = -w * push.per_unit;
  for (int i = 0; i < 3; ++i) {
    const double(&g)[3] = push.gradient[i];
    add(i, nearest(scaled * (push.force[i] + (g[0] * n[0] + g[1] * n[1] + g[2] * n[2]))));
  }
}

/// The nodes of one patch, of a grid of boxes or of active cells; fields are of float or double.
struct NodesOfPatch {
  Index cells[3];  ///< cells of the grid along periodic axes, 0 along others
  Index lower[3], upper[3];
  /// For active cells: where each cell of the box from lower to upper stands in the patch, x
  /// fastest; -1: it is not active or not the patch's. Null: the patch has all of the box.
  const int32* places;
  /// Extents of the patch: those of the box, or its active cells, 1 and 1.
  Index extents[3];
  Index stride[3];          ///< strides of velocities, in elements
  const void* velocity[3];  ///< the velocity of the lowest node, per component
  Index solid_stride[3];    ///< strides of `solid`, in elements
  const uint8* solid;       ///< not 0: the node has no fluid. Null: all nodes have
  Index force_stride[3];    ///< strides of forces, in elements
  void* force[3];           ///< what sums become, per component
  uint64* sums;             ///< integers, per axis; of a component x is fastest
  Index count;              ///< nodes

  /// Where a node, or its image, lies along an axis of the box; false: it does not.
  GOBAN_DEVICE bool find(int axis, Index i, Index& local) const {
    const Index n = cells[axis];
    const Index image = n == 0 ? i : i < 0 ? i + n : i >= n ? i - n : i;
    local = image - lower[axis];
    return image >= lower[axis] && image < upper[axis];
  }
  /// Makes places in the box places in the patch; false: the node is not the patch's.
  GOBAN_DEVICE bool enter(Index (&local)[3]) const {
    if (!places) return true;
    const Index x = upper[0] - lower[0], y = upper[1] - lower[1];
    local[0] = places[local[0] + x * (local[1] + y * local[2])];
    local[1] = local[2] = 0;
    return local[0] >= 0;
  }
  /// Where the node at `at` of the grid, or its image, lies in the patch; false: it does not.
  GOBAN_DEVICE bool find(const Index (&at)[3], Index (&local)[3]) const {
    return find(2, at[2], local[2]) && find(1, at[1], local[1]) && find(0, at[0], local[0]) &&
           enter(local);
  }
  GOBAN_DEVICE bool is_fluid(const Index (&local)[3]) const {
    return !solid || solid[local[0] * solid_stride[0] + local[1] * solid_stride[1] +
                           local[2] * solid_stride[2]] == 0;
  }
  template <class T>
  GOBAN_DEVICE double velocity_at(const Index (&local)[3], int axis) const {
    return static_cast<double>(static_cast<const T*>(
        velocity[axis])[local[0] * stride[0] + local[1] * stride[1] + local[2] * stride[2]]);
  }
  GOBAN_DEVICE uint64* sum_at(const Index (&local)[3], int axis) const {
    return sums + axis * count + local[0] + extents[0] * (local[1] + extents[1] * local[2]);
  }
  template <class T>
  GOBAN_DEVICE void store_force(const Index (&local)[3], int axis, double unit) const {
    static_cast<T*>(force[axis])[local[0] * force_stride[0] + local[1] * force_stride[1] +
                                 local[2] * force_stride[2]] =
        static_cast<T>(static_cast<double>(static_cast<int64>(*sum_at(local, axis))) * unit);
  }
};

/// The weight of the node at `at` of the grid, whose offset from the nearest one is n then.
GOBAN_DEVICE double weight_at(const BodyPlace& place, const Index (&at)[3], double (&n)[3]) {
  for (int i = 0; i < 3; ++i) n[i] = static_cast<double>(at[i] - place.base[i]);
  return weight_of(place, n);
}

/// Whether that weight is not 0.
GOBAN_DEVICE bool has_weight(const BodyPlace& place, const Index (&at)[3]) {
  double r[3];
  for (int i = 0; i < 3; ++i) {
    const double n = static_cast<double>(at[i] - place.base[i]);
    r[i] = n + (static_cast<double>(place.base[i]) + 0.5 - place.position[i]);
  }
  bool has = true;
  for (int a = 0; a < 3; ++a) {
    const double(&e)[3] = place.axes[a];
    const double y = e[0] * r[0] + e[1] * r[1] + e[2] * r[2];
    has = has && y < 2 && y > -2;
  }
  return has;
}

/// Calls add(number, whole number) for what a node adds to a body's sums; it lies at `local` of the
/// patch.
template <class T, class Add>
GOBAN_DEVICE void add_node_at(const NodesOfPatch& nodes, const BodyPlace& place,
                              const Index (&at)[3], const Index (&local)[3], Add&& add) {
  double n[3];
  const double w = weight_at(place, at, n);
  if (!(w > 0)) return;
  if (!nodes.is_fluid(local)) return add_solid_node(place.per_unit, w, n, add);
  const double u[3] = {nodes.velocity_at<T>(local, 0), nodes.velocity_at<T>(local, 1),
                       nodes.velocity_at<T>(local, 2)};
  add_node(place.per_unit, w, n, u, add);
}

/// Calls add(sum of forces, integer) for what a body does to the node at `at`, or its image, if it
/// is the patch's.
template <class Add>
GOBAN_DEVICE void push_node_at(const NodesOfPatch& nodes, const BodyPlace& place,
                               const BodyPush& push, const Index (&at)[3], Add&& add) {
  Index local[3];
  if (!nodes.find(at, local) || !nodes.is_fluid(local)) return;
  double n[3];
  const double w = weight_at(place, at, n);
  if (!(w > 0)) return;
  push_node(push, w, n, [&](int axis, int64 force) { add(nodes.sum_at(local, axis), force); });
}

}  // namespace goban::device
