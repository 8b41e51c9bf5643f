#include "tests/emulated/bodies.hpp"

#include <algorithm>

namespace goban::emulated {
namespace {

using device::BodyStep;

/// Calls visit(node) for all nodes that have a weight.
template <class Visit>
void visit_nodes(const device::BodyPlace& place, const Visit& visit) {
  device::Index at[3];
  for (at[2] = place.lower[2]; at[2] < place.upper[2]; ++at[2]) {
    for (at[1] = place.lower[1]; at[1] < place.upper[1]; ++at[1]) {
      for (at[0] = place.lower[0]; at[0] < place.upper[0]; ++at[0]) {
        if (device::has_weight(place, at)) visit(at);
      }
    }
  }
}

void repel(const BodyStep& step) {
  std::fill_n(step.near.first, step.near.mask + 1, -1);
  for (Index n = 0; n < step.count; ++n) device::link_body(step, n);
  for (Index n = 0; n < step.own; ++n) device::repel_body(step, n);
}

template <class T>
void sum(const BodyStep& step) {
  for (Index n = 0; n < step.count; ++n) device::place_body(step, n);
  for (Index i = 0; i < step.count; ++i) {
    const Index body = step.order[i];
    const device::BodyPlace& place = step.places[body];
    std::int64_t sums[device::body_sums] = {};
    visit_nodes(place, [&](const device::Index(&at)[3]) {
      device::sum_node<T>(step, body, place, at, [&](int n, double value) {
        sums[n] += static_cast<std::int64_t>(value);
      });
    });
    std::copy(std::begin(sums), std::end(sums), step.sums + body * device::body_sums);
  }
}

template <class T>
void push(const BodyTask& task) {
  const BodyStep& step = task.step;
  for (const device::NodesOfPatch& nodes : task.patches) {
    std::fill_n(nodes.sums, 3 * nodes.count, 0);
    for (Index n = 0; n < step.count; ++n) {
      const device::BodyPlace& place = step.places[n];
      visit_nodes(place, [&](const device::Index(&at)[3]) {
        device::push_node_at(nodes, place, step.pushes[n], at,
                             [](device::uint64* sum, device::int64 force) {
                               *sum += static_cast<device::uint64>(force);
                             });
      });
    }
    const device::Index x = nodes.extents[0], y = nodes.extents[1];
    for (device::Index n = 0; n < nodes.count; ++n) {
      for (int axis = 0; axis < 3; ++axis) {
        nodes.store_force<T>({n % x, n / x % y, n / x / y}, axis, task.unit);
      }
    }
  }
}

}  // namespace

void run_bodies(BodyWork work, const BodyTask& task) {
  const bool is_single = task.type == ElementType::float32;
  switch (work) {
    case BodyWork::repel: return repel(task.step);
    case BodyWork::sum: return is_single ? sum<float>(task.step) : sum<double>(task.step);
    case BodyWork::move:
      for (Index n = 0; n < task.step.own; ++n) device::move_body(task.step, n);
      return;
    case BodyWork::push: return is_single ? push<float>(task) : push<double>(task);
  }
}

}  // namespace goban::emulated
