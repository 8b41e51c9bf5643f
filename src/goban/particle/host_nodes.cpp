#include "goban/particle/host_nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "goban/backend/instruction_set.hpp"
#include "goban/particle/node_list.hpp"

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

const NodeLoops& loops_of_machine() {
  static const NodeLoops& loops = [&]() -> const NodeLoops& {
    const InstructionSet set = instruction_set();
    return set == InstructionSet::avx512 ? avx512::node_loops
           : set == InstructionSet::avx2 ? avx2::node_loops
                                         : baseline::node_loops;
  }();
  return loops;
}

/// Nodes of a patch along z, in the patch.
struct Layers {
  device::Index begin, end;
};

/// Nodes that a body may see, with the weights they have.
class NodesAround {
 public:
  /// Those of a patch with fluid; calls solid(offset) for others of the patch.
  template <class Solid>
  void find(const NodesOfPatch& nodes, const device::BodyPlace& place, const Layers& layers,
            const Solid& solid) {
    start(place);
    const bool is_within = place.lower[0] >= nodes.lower[0] && place.upper[0] <= nodes.upper[0];
    const device::Index period = is_within ? 0 : nodes.cells[0];
    device::Index at[3], local[3];
    for (at[2] = place.lower[2]; at[2] < place.upper[2]; ++at[2]) {
      if (!nodes.find(2, at[2], local[2]) || local[2] < layers.begin || local[2] >= layers.end) {
        continue;
      }
      for (at[1] = place.lower[1]; at[1] < place.upper[1]; ++at[1]) {
        if (!nodes.find(1, at[1], local[1])) continue;
        const auto [first, last] = row_of(place, at);
        for (device::Index shift = -period; shift <= period; shift += period) {
          const device::Index begin = std::max(first + shift, nodes.lower[0]);
          const device::Index end = std::min(last + shift, nodes.upper[0]);
          at[0] = begin - shift;
          local[0] = begin - nodes.lower[0];
          if (begin < end && nodes.places) add_listed_row(nodes, place, at, local, end - begin);
          if (begin < end && !nodes.places) add_row(nodes, place, at, local, end - begin, solid);
          if (period == 0) break;
        }
      }
    }
    weigh(place);
  }
  /// Those that the grid does not have.
  void find_missing(const FluidNodes& nodes, const device::BodyPlace& place) {
    start(place);
    nodes.visit_missing(place.lower, place.upper,
                        [&](const device::Index(&at)[3], std::uint64_t bits, Index count) {
                          const auto [first, last] = row_of(place, at);
                          const Index begin = std::max(first - at[0], device::Index{0});
                          const Index end = std::min<Index>(last - at[0], count);
                          for (Index i = begin; i < end; ++i) {
                            put(offset_of(place, {at[0] + i, at[1], at[2]}), -1);
                            count_ += bits >> i & 1;
                          }
                        });
    weigh(place);
  }
  void add_solid(double per_unit, double (&sums)[device::body_sums]) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!(w_[i] > 0)) continue;
      device::add_solid_node(per_unit, w_[i], {x_[i], y_[i], z_[i]},
                             [&](int s, double value) { sums[s] += value; });
    }
  }
  template <class T>
  void add_sums(const NodesOfPatch& nodes, double per_unit, double (&sums)[device::body_sums]) {
    // Active cells stand where their sums do.
    const Index* const elements = nodes.places ? places_.data() : elements_.data();
    const Index stride = nodes.places ? nodes.stride[0] : 1;
    for (std::size_t a = 0; a < 3; ++a) {
      const T* const velocity = static_cast<const T*>(nodes.velocity[a]);
      double* const u = u_[a].data();
      bool are_speeds = true;
      for (std::size_t i = 0; i < count_; ++i) {
        u[i] = static_cast<double>(velocity[elements[i] * stride]);
        are_speeds = are_speeds && is_speed(u[i]);
      }
      for (std::size_t i = 0; !are_speeds && i < count_; ++i) {
        if (is_speed(u[i])) continue;
        sums[device::sum_bad] += w_[i] > 0 ? 1 : 0;
        u[i] = 0;
      }
    }
    loops_of_machine().add(arrays(), per_unit, sums);
  }
  void push(const NodesOfPatch& nodes, const device::BodyPush& push) {
    loops_of_machine().push(arrays(), push);
    for (std::size_t a = 0; a < 3; ++a) {
      device::uint64* const sums = nodes.sums + static_cast<Index>(a) * nodes.count;
      const device::int64* const force = force_[a].data();
      for (std::size_t i = 0; i < count_; ++i) {
        sums[places_[i]] += static_cast<device::uint64>(force[i]);
      }
    }
  }

 private:
  static bool is_speed(double u) {
    return u < device::most_node_speed && u > -device::most_node_speed;
  }
  static Real3 offset_of(const device::BodyPlace& place, const device::Index (&at)[3]) {
    return {static_cast<double>(at[0] - place.base[0]), static_cast<double>(at[1] - place.base[1]),
            static_cast<double>(at[2] - place.base[2])};
  }
  struct Row {
    device::Index first, last;
  };
  /// The nodes of a row that may have a weight.
  Row row_of(const device::BodyPlace& place, const device::Index (&at)[3]) const {
    const auto row = static_cast<std::size_t>(
        at[1] - place.lower[1] + (place.upper[1] - place.lower[1]) * (at[2] - place.lower[2]));
    return {place.base[0] + first_[row], place.base[0] + last_[row]};
  }
  void start(const device::BodyPlace& place) {
    count_ = 0;
    const auto extent = [&](int a) {
      return static_cast<std::size_t>(place.upper[a] - place.lower[a]);
    };
    const std::size_t rows = extent(1) * extent(2), most = extent(0) * rows + nodes_of_pack;
    if (first_.size() < rows) {
      first_.resize(rows);
      last_.resize(rows);
    }
    loops_of_machine().reach(place, first_.data(), last_.data());
    if (w_.size() >= most) return;
    for (auto* all : {&x_, &y_, &z_, &w_, &u_[0], &u_[1], &u_[2]}) all->resize(most);
    for (auto& all : force_) all.resize(most);
    places_.resize(most);
    elements_.resize(most);
  }
  /// Behind all others, without counting it.
  void put(const Real3& offset, Index place) {
    x_[count_] = offset[0];
    y_[count_] = offset[1];
    z_[count_] = offset[2];
    places_[count_] = place;
  }
  void add_listed_row(const NodesOfPatch& nodes, const device::BodyPlace& place,
                      const device::Index (&at)[3], const device::Index (&local)[3],
                      device::Index count) {
    const Index width = nodes.upper[0] - nodes.lower[0], depth = nodes.upper[1] - nodes.lower[1];
    const device::int32* const row =
        nodes.places + local[0] + width * (local[1] + depth * local[2]);
    const Real3 offset = offset_of(place, at);
    std::size_t n = count_;
    double x = offset[0];
    for (Index i = 0; i < count; ++i, x += 1) {
      x_[n] = x;
      y_[n] = offset[1];
      z_[n] = offset[2];
      places_[n] = row[i];
      n += row[i] >= 0 ? 1 : 0;
    }
    count_ = n;
  }
  template <class Solid>
  void add_row(const NodesOfPatch& nodes, const device::BodyPlace& place,
               const device::Index (&at)[3], const device::Index (&local)[3], device::Index count,
               const Solid& solid) {
    const Index first = local[0] + nodes.extents[0] * (local[1] + nodes.extents[1] * local[2]);
    const Index element =
        local[0] * nodes.stride[0] + local[1] * nodes.stride[1] + local[2] * nodes.stride[2];
    const Real3 offset = offset_of(place, at);
    for (Index i = 0; i < count; ++i) {
      const Real3 here = {offset[0] + static_cast<double>(i), offset[1], offset[2]};
      put(here, first + i);
      elements_[count_] = element + i * nodes.stride[0];
      if (nodes.is_fluid({local[0] + i, local[1], local[2]})) {
        ++count_;
      } else {
        solid(here);
      }
    }
  }
  void weigh(const device::BodyPlace& place) {
    constexpr double far = 1e6;  // fills the last pack with nodes that have no weight
    for (std::size_t n = count_; n % nodes_of_pack != 0; ++n) {
      x_[n] = y_[n] = z_[n] = far;
      u_[0][n] = u_[1][n] = u_[2][n] = 0;
    }
    loops_of_machine().weigh(arrays(), place);
  }
  NodeArrays arrays() {
    const std::size_t packs = (count_ + nodes_of_pack - 1) / nodes_of_pack;
    return {x_.data(),
            y_.data(),
            z_.data(),
            w_.data(),
            {u_[0].data(), u_[1].data(), u_[2].data()},
            {force_[0].data(), force_[1].data(), force_[2].data()},
            static_cast<device::Index>(packs * nodes_of_pack)};
  }

  std::size_t count_ = 0;
  std::vector<int> first_, last_;  ///< where each row of nodes begins and ends
  std::vector<double> x_, y_, z_, w_, u_[3];
  std::vector<device::int64> force_[3];
  std::vector<Index> places_;    ///< indices in the patch, where sums go
  std::vector<Index> elements_;  ///< indices of velocities in a patch of a box
};

/// Bodies one after the other through blocks of nodes, so that those which follow each other find
/// theirs in the caches.
std::vector<std::size_t> through_blocks(const BodyTask& task) {
  constexpr int bits = 3, most = 20;
  std::vector<std::pair<Index, std::size_t>> keys;
  for (std::size_t n = 0; n < task.bodies.size(); ++n) {
    Index key = 0;
    for (int a = 2; a >= 0; --a) {
      key = (key << most) + (device::floor_of(task.bodies[n].position[a]) >> bits);
    }
    keys.emplace_back(key, n);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::size_t> order;
  for (const auto& [key, n] : keys) order.push_back(n);
  return order;
}

template <class T>
void add_sums(const BodyTask& task, Executor& executor, Index* sums) {
  const std::vector<std::size_t> order = through_blocks(task);
  executor.parallel(static_cast<Index>(order.size()), [&](Index begin, Index end) {
    NodesAround around;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::size_t n = order[i];
      const device::BodyPlace place = place_in(task, n);
      double parts[device::body_sums] = {};
      for (const NodesOfPatch& nodes : task.patches) {
        if (!meet(nodes, place)) continue;
        around.find(nodes, place, {0, nodes.upper[2] - nodes.lower[2]}, [&](const Real3& at) {
          const double offset[3] = {at[0], at[1], at[2]};
          const double w = device::weight_of(place, offset);
          if (!(w > 0)) return;
          device::add_solid_node(place.per_unit, w, offset,
                                 [&](int s, double value) { parts[s] += value; });
        });
        around.add_sums<T>(nodes, place.per_unit, parts);
      }
      for (std::size_t s = 0; s < device::body_sums; ++s) {
        sums[n * device::body_sums + s] += static_cast<Index>(parts[s]);
      }
    }
  });
}

/// Bodies by the slabs of a patch that they touch: threads that work on slabs share no nodes.
class Slabs {
 public:
  Slabs(const BodyTask& task, const NodesOfPatch& nodes)
      : layers_(nodes.upper[2] - nodes.lower[2]),
        bodies_(static_cast<std::size_t>((layers_ + thickness - 1) / thickness)) {
    const device::Index period = nodes.cells[2];
    for (const std::size_t n : through_blocks(task)) {
      const device::BodyPlace place = place_in(task, n);
      if (!meet(nodes, place)) continue;
      for (device::Index shift = -period; shift <= period; shift += period) {
        add(n, place.lower[2] + shift - nodes.lower[2], place.upper[2] + shift - nodes.lower[2]);
        if (period == 0) break;
      }
    }
  }
  Index count() const { return static_cast<Index>(bodies_.size()); }
  Layers layers(Index slab) const {
    return {slab * thickness, std::min((slab + 1) * thickness, layers_)};
  }
  const std::vector<std::size_t>& bodies(Index slab) const {
    return bodies_[static_cast<std::size_t>(slab)];
  }

 private:
  static constexpr device::Index thickness = 16;

  void add(std::size_t body, device::Index lower, device::Index upper) {
    lower = std::max<device::Index>(lower, 0);
    upper = std::min(upper, layers_);
    for (device::Index slab = lower / thickness; slab * thickness < upper; ++slab) {
      auto& all = bodies_[static_cast<std::size_t>(slab)];
      if (all.empty() || all.back() != body) all.push_back(body);
    }
  }

  device::Index layers_;
  std::vector<std::vector<std::size_t>> bodies_;
};

void push_on_patch(const BodyTask& task, const NodesOfPatch& nodes, Executor& executor,
                   const device::BodyPush* pushes) {
  const Slabs slabs(task, nodes);
  executor.parallel(slabs.count(), [&](Index begin, Index end) {
    NodesAround around;
    for (Index slab = begin; slab < end; ++slab) {
      for (const std::size_t n : slabs.bodies(slab)) {
        around.find(nodes, place_in(task, n), slabs.layers(slab), [](const Real3&) {});
        around.push(nodes, pushes[n]);
      }
    }
  });
}

template <class T>
void push(const BodyTask& task, Executor& executor, const device::BodyPush* pushes, double unit) {
  for (const NodesOfPatch& nodes : task.patches) {
    executor.parallel(3 * nodes.count, [&](Index begin, Index end) {
      std::fill(nodes.sums + begin, nodes.sums + end, 0);
    });
    push_on_patch(task, nodes, executor, pushes);
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

void add_missing_on_host(const BodyTask& task, const FluidNodes& nodes, Executor& executor,
                         Index* sums) {
  executor.parallel(static_cast<Index>(task.bodies.size()), [&](Index begin, Index end) {
    NodesAround around;
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
      const device::BodyPlace place = place_in(task, n);
      around.find_missing(nodes, place);
      double parts[device::body_sums] = {};
      around.add_solid(place.per_unit, parts);
      for (std::size_t s = 0; s < device::body_sums; ++s) {
        sums[n * device::body_sums + s] += static_cast<Index>(parts[s]);
      }
    }
  });
}

void push_on_host(const BodyTask& task, Executor& executor, const device::BodyPush* pushes,
                  double unit) {
  with_type(task, [&]<class T>(T) { push<T>(task, executor, pushes, unit); });
}

}  // namespace goban
