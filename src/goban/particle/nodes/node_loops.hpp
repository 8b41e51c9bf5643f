#pragma once
// Loops over the nodes of a body, for the instruction set that the including source is compiled
// for, in a namespace of its own, GOBAN_NODE_LOOPS. Functions of other headers are those of kernel
// texts, which are always inlined: the linker would keep those of one instruction set.

#define GOBAN_CPU_KERNEL
#include "goban/particle/nodes/node_list.hpp"

namespace goban::GOBAN_NODE_LOOPS {
namespace {

using device::Index;

double larger(double a, double b) { return a > b ? a : b; }
double smaller(double a, double b) { return a < b ? a : b; }

void reach(const device::BodyPlace& place, int* __restrict first, int* __restrict last) {
  constexpr double margin = 1e-6, never = 1e9;
  double slope_y[3], slope_z[3], half[3];
  for (int a = 0; a < 3; ++a) {
    const double(&e)[3] = place.axes[a];
    const bool is_across = e[0] < margin && e[0] > -margin;
    const double inverse = is_across ? 0 : 1 / e[0];
    slope_y[a] = -e[1] * inverse;
    slope_z[a] = -e[2] * inverse;
    half[a] = is_across ? never : 2 * (inverse < 0 ? -inverse : inverse) + margin;
  }
  const double middle = static_cast<double>(place.base[0]) + 0.5 - place.position[0];
  const double lower = static_cast<double>(place.lower[0] - place.base[0]);
  const double upper = static_cast<double>(place.upper[0] - place.base[0] - 1);
  const double y0 = static_cast<double>(place.lower[1]) + 0.5 - place.position[1];
  const int rows = static_cast<int>(place.upper[1] - place.lower[1]);
  for (Index k = place.lower[2]; k < place.upper[2]; ++k, first += rows, last += rows) {
    const double z = static_cast<double>(k) + 0.5 - place.position[2];
    const double at0 = slope_z[0] * z - middle, at1 = slope_z[1] * z - middle,
                 at2 = slope_z[2] * z - middle;
    for (int j = 0; j < rows; ++j) {
      const double y = y0 + static_cast<double>(j);
      const double c0 = slope_y[0] * y + at0, c1 = slope_y[1] * y + at1, c2 = slope_y[2] * y + at2;
      const double least = larger(larger(c0 - half[0], c1 - half[1]), c2 - half[2]);
      const double most = smaller(smaller(c0 + half[0], c1 + half[1]), c2 + half[2]);
      // Within the box, from where all numbers are small.
      const int begin = static_cast<int>(smaller(larger(least, lower), upper) - lower);
      const int end = static_cast<int>(larger(smaller(most, upper), lower) - lower);
      first[j] = begin + static_cast<int>(lower);
      last[j] = end + static_cast<int>(lower) + 1;
    }
  }
}

void weigh(const NodeArrays& nodes, const device::BodyPlace& place) {
  double shift[3];
  for (int i = 0; i < 3; ++i) {
    shift[i] = static_cast<double>(place.base[i]) + 0.5 - place.position[i];
  }
  const double* const __restrict x = nodes.x;
  const double* const __restrict y = nodes.y;
  const double* const __restrict z = nodes.z;
  double* const __restrict w = nodes.w;
  for (Index i = 0; i < nodes.count; ++i) w[i] = 1;
  for (const auto& e : place.axes) {
    const double e0 = e[0], e1 = e[1], e2 = e[2];
    for (Index i = 0; i < nodes.count; ++i) {
      const double r0 = x[i] + shift[0], r1 = y[i] + shift[1], r2 = z[i] + shift[2];
      w[i] = w[i] * device::four_point(e0 * r0 + e1 * r1 + e2 * r2);
    }
  }
}

#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif
using Pack [[gnu::vector_size(lanes * sizeof(double))]] = double;

void add(const NodeArrays& nodes, double per_unit, double (&sums)[device::body_sums]) {
  Pack parts[device::body_sums] = {};
  const auto load = [](const double* from, Index i) {
    Pack pack;
    __builtin_memcpy(&pack, from + i, sizeof pack);
    return pack;
  };
  constexpr double anchor = 6755399441055744.0;  // as device::rounded()
  for (Index i = 0; i < nodes.count; i += lanes) {
    const Pack x = load(nodes.x, i), y = load(nodes.y, i), z = load(nodes.z, i);
    const Pack w = load(nodes.w, i), scaled = w * per_unit;
    const Pack whole = (scaled + anchor) - anchor;
    const Pack wx = whole * x, wy = whole * y, wz = whole * z;
    parts[device::sum_w] += whole;
    parts[device::sum_ww] += (scaled * w + anchor) - anchor;
    parts[device::sum_wn] += wx;
    parts[device::sum_wn + 1] += wy;
    parts[device::sum_wn + 2] += wz;
    parts[device::sum_wnn] += wx * x;
    parts[device::sum_wnn + 1] += wy * y;
    parts[device::sum_wnn + 2] += wz * z;
    parts[device::sum_wnn + 3] += wx * y;
    parts[device::sum_wnn + 4] += wx * z;
    parts[device::sum_wnn + 5] += wy * z;
    for (int a = 0; a < 3; ++a) {
      const Pack wu = (scaled * load(nodes.u[a], i) + anchor) - anchor;
      parts[device::sum_wu + a] += wu;
      parts[device::sum_wun + 3 * a] += wu * x;
      parts[device::sum_wun + 3 * a + 1] += wu * y;
      parts[device::sum_wun + 3 * a + 2] += wu * z;
    }
  }
  for (int n = 0; n < device::body_sums; ++n) {
    for (int lane = 0; lane < lanes; ++lane) sums[n] += parts[n][lane];
  }
}

/// device::nearest() of what is less than 2^51; true: something is not.
bool push_along(const NodeArrays& nodes, const device::BodyPush& push, int axis) {
  constexpr double anchor = 6755399441055744.0, most = 2251799813685248.0;
  const double g = push.force[axis], gx = push.gradient[axis][0], gy = push.gradient[axis][1],
               gz = push.gradient[axis][2], per_unit = push.per_unit;
  const double* const __restrict x = nodes.x;
  const double* const __restrict y = nodes.y;
  const double* const __restrict z = nodes.z;
  const double* const __restrict w = nodes.w;
  device::int64* const __restrict force = nodes.force[axis];
  const Index count = nodes.count;
  device::int64 is_large = 0;
  for (Index i = 0; i < count; ++i) {
    const double value = (-w[i] * per_unit) * (g + (gx * x[i] + gy * y[i] + gz * z[i]));
    is_large |= value < most && value > -most ? 0 : 1;
    force[i] = __builtin_bit_cast(device::int64, value + anchor) -
               __builtin_bit_cast(device::int64, anchor);
  }
  return is_large != 0;
}

void push(const NodeArrays& nodes, const device::BodyPush& push) {
  bool is_large = false;
  for (int axis = 0; axis < 3; ++axis) is_large |= push_along(nodes, push, axis);
  for (Index i = 0; is_large && i < nodes.count; ++i) {
    const double n[3] = {nodes.x[i], nodes.y[i], nodes.z[i]};
    device::push_node(push, nodes.w[i], n,
                      [&](int axis, device::int64 force) { nodes.force[axis][i] = force; });
  }
}

}  // namespace

const NodeLoops node_loops{reach, weigh, add, push};

}  // namespace goban::GOBAN_NODE_LOOPS
