#include "goban/particle/host_nodes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

namespace goban {
namespace {

using device::NodesOfPatch;

/// Some nodes of the box, or images of theirs, may be the patch's.
bool meet(const NodesOfPatch& nodes, const device::BodyPlace& place) {
  for (int a = 0; a < 3; ++a) {
    const auto meets = [&](device::Index shift) {
      return place.lower[a] + shift < nodes.upper[a] && place.upper[a] + shift > nodes.lower[a];
    };
    if (!meets(0) && !meets(nodes.cells[a]) && !meets(-nodes.cells[a])) return false;
  }
  return true;
}

device::BodyPlace place_in(const BodyTask& task, std::size_t body) {
  const device::BodyState& state = task.bodies[body];
  return device::place_of(state, task.kernels[static_cast<std::size_t>(state.shape)]);
}

constexpr int lanes = 8;

/// Nodes beside each other along x, as many as there are lanes or fewer, of one patch.
struct Row {
  device::Index at[3];     ///< of the first: in the grid, or an image of it
  device::Index local[3];  ///< in the patch
  int count;
};

/// Nodes of a row that may have a weight: |e_a . (x - R)| < 2 s_a for all axes of the body, or a
/// little more.
std::pair<device::Index, device::Index> reach_of_row(const device::BodyPlace& place,
                                                     const device::Index (&at)[3]) {
  constexpr double margin = 1e-6;
  const double y = static_cast<double>(at[1]) + 0.5 - place.position[1];
  const double z = static_cast<double>(at[2]) + 0.5 - place.position[2];
  double least = static_cast<double>(place.lower[0]) - place.position[0];
  double most = static_cast<double>(place.upper[0]) - place.position[0];
  for (const auto& e : place.axes) {
    const double beside = e[1] * y + e[2] * z;
    if (std::abs(e[0]) < margin) {
      if (std::abs(beside) > 2 + 1) return {0, 0};
      continue;
    }
    const double middle = -beside / e[0], half = std::abs(2 / e[0]) + margin;
    least = std::max(least, middle - half);
    most = std::min(most, middle + half);
  }
  if (least >= most) return {0, 0};
  return {device::floor_of(least + place.position[0] - 0.5),
          device::floor_of(most + place.position[0] - 0.5) + 1};
}

/// Calls visit(row) for all nodes of a patch that a body may see.
template <class Visit>
void visit_rows(const NodesOfPatch& nodes, const device::BodyPlace& place, const Visit& visit) {
  const device::Index period = nodes.cells[0];
  Row row;
  for (row.at[2] = place.lower[2]; row.at[2] < place.upper[2]; ++row.at[2]) {
    if (!nodes.find(2, row.at[2], row.local[2])) continue;
    for (row.at[1] = place.lower[1]; row.at[1] < place.upper[1]; ++row.at[1]) {
      if (!nodes.find(1, row.at[1], row.local[1])) continue;
      const auto [first, last] = reach_of_row(place, row.at);
      for (device::Index shift = -period; shift <= period; shift += period) {
        const device::Index begin = std::max(first + shift, nodes.lower[0]);
        const device::Index end = std::min(last + shift, nodes.upper[0]);
        for (device::Index i = begin; i < end; i += lanes) {
          row.at[0] = i - shift;
          row.local[0] = i - nodes.lower[0];
          row.count = static_cast<int>(std::min<device::Index>(lanes, end - i));
          visit(row);
        }
        if (period == 0) break;
      }
    }
  }
}

/// Weights of a row, 0 beyond its end, and p_x; p_y and p_z are the same for all of it.
struct Weights {
  alignas(64) double w[lanes];
  alignas(64) double x[lanes];
  double y = 0, z = 0;
};
/// In packs; what device::weight_of gives one by one. False: all are 0.
[[gnu::flatten]] bool weigh(const device::BodyPlace& place, const Row& row, Weights& weights) {
  alignas(64) double r[lanes];
  double* const w = weights.w;
  const double y = static_cast<double>(row.at[1]) + 0.5 - place.position[1];
  const double z = static_cast<double>(row.at[2]) + 0.5 - place.position[2];
  weights.y = y * place.per_reach;
  weights.z = z * place.per_reach;
  for (int i = 0; i < lanes; ++i) {
    r[i] = static_cast<double>(row.at[0] + i) + 0.5 - place.position[0];
    weights.x[i] = r[i] * place.per_reach;
    w[i] = i < row.count ? 1 : 0;
  }
  for (const auto& e : place.axes) {
    for (int i = 0; i < lanes; ++i) {
      w[i] = w[i] * device::four_point(e[0] * r[i] + e[1] * y + e[2] * z);
    }
  }
  double most = 0;
  for (int i = 0; i < lanes; ++i) most = most < w[i] ? w[i] : most;
  return most > 0;
}

/// device::nearest() of what is less than 2^51: 2^52 leaves no room for fractions.
Index nearest_of_small(double x) {
  constexpr double anchor = 0x1.8p52;
  return std::bit_cast<Index>(x + anchor) - std::bit_cast<Index>(anchor);
}

/// Sums of a body, a part in each lane.
using LaneSums = Index[device::body_sums][lanes];

/// What device::add_node adds for each node of a row.
template <class T>
void add_row(const NodesOfPatch& nodes, const device::BodyPlace& place, const Row& row,
             LaneSums& sums) {
  Weights weights;
  if (!weigh(place, row, weights)) return;
  alignas(64) double scaled[lanes] = {}, u[3][lanes] = {};
  for (int i = 0; i < row.count; ++i) {
    device::Index local[3] = {row.local[0] + i, row.local[1], row.local[2]};
    if (!nodes.enter(local)) {
      weights.w[i] = 0;
      continue;
    }
    if (!nodes.is_fluid(local)) {
      const double p[3] = {weights.x[i], weights.y, weights.z};
      if (weights.w[i] > 0) {
        device::add_solid_node(place, weights.w[i], p, [&](int n, Index v) { sums[n][i] += v; });
      }
      weights.w[i] = 0;
    }
    for (int a = 0; a < 3; ++a) {
      const double speed = nodes.velocity_at<T>(local, a);
      const bool is_speed = speed < device::most_node_speed && speed > -device::most_node_speed;
      u[a][i] = is_speed ? speed : 0;
      sums[device::sum_bad][i] += weights.w[i] > 0 && !is_speed ? 1 : 0;
    }
  }
  for (int i = 0; i < lanes; ++i) scaled[i] = weights.w[i] * (1 / device::body_sum_unit);
  const auto add = [&](int n, const auto& value) {
    for (int i = 0; i < lanes; ++i) sums[n][i] += nearest_of_small(value(i));
  };
  const double *const w = weights.w, *const x = weights.x, y = weights.y, z = weights.z;
  add(device::sum_w, [&](int i) { return scaled[i]; });
  add(device::sum_ww, [&](int i) { return scaled[i] * w[i]; });
  add(device::sum_wp, [&](int i) { return scaled[i] * x[i]; });
  add(device::sum_wp + 1, [&](int i) { return scaled[i] * y; });
  add(device::sum_wp + 2, [&](int i) { return scaled[i] * z; });
  add(device::sum_wpp, [&](int i) { return scaled[i] * (x[i] * x[i]); });
  add(device::sum_wpp + 1, [&](int i) { return scaled[i] * (y * y); });
  add(device::sum_wpp + 2, [&](int i) { return scaled[i] * (z * z); });
  add(device::sum_wpp + 3, [&](int i) { return scaled[i] * (x[i] * y); });
  add(device::sum_wpp + 4, [&](int i) { return scaled[i] * (x[i] * z); });
  add(device::sum_wpp + 5, [&](int i) { return scaled[i] * (y * z); });
  for (int a = 0; a < 3; ++a) {
    add(device::sum_wu + a, [&](int i) { return scaled[i] * u[a][i]; });
    add(device::sum_wup + 3 * a, [&](int i) { return scaled[i] * u[a][i] * x[i]; });
    add(device::sum_wup + 3 * a + 1, [&](int i) { return scaled[i] * u[a][i] * y; });
    add(device::sum_wup + 3 * a + 2, [&](int i) { return scaled[i] * u[a][i] * z; });
  }
}

/// Calls work(body, where it is, whether another thread may work on the same nodes) by all threads,
/// each body by one.
template <class Work>
void visit_bodies(const BodyTask& task, Executor& executor, const Work& work) {
  const auto count = static_cast<Index>(task.bodies.size());
  executor.parallel(count, [&](Index begin, Index end) {
    const bool is_alone = begin == 0 && end == count;
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
      work(n, place_in(task, n), is_alone);
    }
  });
}

template <class T>
void add_sums(const BodyTask& task, Executor& executor, Index* sums) {
  visit_bodies(task, executor, [&](std::size_t n, const device::BodyPlace& place, bool) {
    alignas(64) LaneSums parts = {};
    for (const NodesOfPatch& nodes : task.patches) {
      if (!meet(nodes, place)) continue;
      visit_rows(nodes, place, [&](const Row& row) { add_row<T>(nodes, place, row, parts); });
    }
    for (std::size_t s = 0; s < device::body_sums; ++s) {
      for (const Index part : parts[s]) sums[n * device::body_sums + s] += part;
    }
  });
}

void push_row(const NodesOfPatch& nodes, const device::BodyPlace& place,
              const device::BodyPush& push, const Row& row, bool is_alone) {
  Weights weights;
  if (!weigh(place, row, weights)) return;
  for (int i = 0; i < row.count; ++i) {
    device::Index local[3] = {row.local[0] + i, row.local[1], row.local[2]};
    if (!(weights.w[i] > 0) || !nodes.enter(local) || !nodes.is_fluid(local)) continue;
    const double p[3] = {weights.x[i], weights.y, weights.z};
    device::push_node(push, weights.w[i], p, [&](int axis, Index force) {
      device::uint64& sum = *nodes.sum_at(local, axis);
      if (is_alone) {
        sum += static_cast<device::uint64>(force);
      } else {
        std::atomic_ref(sum).fetch_add(static_cast<device::uint64>(force),
                                       std::memory_order_relaxed);
      }
    });
  }
}

template <class T>
void push(const BodyTask& task, Executor& executor, const device::BodyPush* pushes, double unit) {
  for (const NodesOfPatch& nodes : task.patches) {
    executor.parallel(3 * nodes.count, [&](Index begin, Index end) {
      std::fill(nodes.sums + begin, nodes.sums + end, 0);
    });
  }
  visit_bodies(task, executor, [&](std::size_t n, const device::BodyPlace& place, bool is_alone) {
    for (const NodesOfPatch& nodes : task.patches) {
      if (!meet(nodes, place)) continue;
      visit_rows(nodes, place,
                 [&](const Row& row) { push_row(nodes, place, pushes[n], row, is_alone); });
    }
  });
  for (const NodesOfPatch& nodes : task.patches) {
    const device::Index x = nodes.extents[0], y = nodes.extents[1];
    executor.parallel(nodes.count / x, [&](Index begin, Index end) {
      for (device::Index row = begin; row < end; ++row) {
        for (int axis = 0; axis < 3; ++axis) {
          for (device::Index i = 0; i < x; ++i) {
            nodes.store_force<T>({i, row % y, row / y}, axis, unit);
          }
        }
      }
    });
  }
}

/// With the type of a task's fields.
template <class Use>
void with_type(const BodyTask& task, const Use& use) {
  task.type == ElementType::float32 ? use(float{}) : use(double{});
}

}  // namespace

void add_sums_on_host(const BodyTask& task, Executor& executor, Index* sums) {
  with_type(task, [&]<class T>(T) { add_sums<T>(task, executor, sums); });
}

void push_on_host(const BodyTask& task, Executor& executor, const device::BodyPush* pushes,
                  double unit) {
  with_type(task, [&]<class T>(T) { push<T>(task, executor, pushes, unit); });
}

}  // namespace goban
