#include "goban/particle/nodes/host_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "goban/backend/instruction_set.hpp"
#include "goban/particle/nodes/node_list.hpp"

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

const NodeLoops& loops_of_machine() {
  static const NodeLoops& loops = GOBAN_LOOPS_OF_PROCESSOR(node_loops);
  return loops;
}

/// Nodes of a patch from one place to another along an axis.
struct Layers {
  int axis = 2;
  device::Index begin = 0, end = 0;

  bool have(int of_axis, device::Index i) const {
    return of_axis != axis || (i >= begin && i < end);
  }
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
    const bool is_cut = layers.axis == 0;
    const device::Index lowest = nodes.lower[0] + (is_cut ? layers.begin : 0);
    const device::Index highest = is_cut ? nodes.lower[0] + layers.end : nodes.upper[0];
    device::Index at[3], local[3];
    for (at[2] = place.lower[2]; at[2] < place.upper[2]; ++at[2]) {
      if (!nodes.find(2, at[2], local[2]) || !layers.have(2, local[2])) continue;
      for (at[1] = place.lower[1]; at[1] < place.upper[1]; ++at[1]) {
        if (!nodes.find(1, at[1], local[1]) || !layers.have(1, local[1])) continue;
        const auto [first, last] = row_of(place, at);
        for (device::Index shift = -period; shift <= period; shift += period) {
          const device::Index begin = std::max(first + shift, lowest);
          const device::Index end = std::min(last + shift, highest);
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

/// The sums of one body.
class SumsAround {
 public:
  SumsAround(const BodyTask& task, const FluidNodes& nodes) : task_(task), nodes_(nodes) {}
  template <class T>
  void find(Index body) {
    const device::BodyStep& step = task_.step;
    const device::BodyPlace& place = step.places[body];
    std::fill(std::begin(sums_), std::end(sums_), 0);
    for (const NodesOfPatch& nodes : task_.patches) {
      if (meet(nodes, place)) add_patch<T>(nodes, place);
    }
    if (step.sees_missing && body < step.own) {
      around_.find_missing(nodes_, place);
      around_.add_solid(place.per_unit, sums_);
    }
    std::transform(std::begin(sums_), std::end(sums_), step.sums + body * device::body_sums,
                   [](double sum) { return static_cast<device::int64>(sum); });
  }

 private:
  template <class T>
  void add_patch(const NodesOfPatch& nodes, const device::BodyPlace& place) {
    const auto solid = [&](const Real3& at) {
      const double offset[3] = {at[0], at[1], at[2]};
      const double w = device::weight_of(place, offset);
      if (!(w > 0)) return;
      device::add_solid_node(place.per_unit, w, offset,
                             [&](int s, double value) { sums_[s] += value; });
    };
    around_.find(nodes, place, {2, 0, nodes.upper[2] - nodes.lower[2]}, solid);
    around_.add_sums<T>(nodes, place.per_unit, sums_);
  }

  const BodyTask& task_;
  const FluidNodes& nodes_;
  NodesAround around_;
  double sums_[device::body_sums];
};

template <class T>
void add_up(const BodyTask& task, const FluidNodes& nodes, Executor& executor) {
  executor.parallel(task.step.count, [&](Index begin, Index end) {
    SumsAround sums(task, nodes);
    for (Index i = begin; i < end; ++i) {
      device::place_body(task.step, task.step.order[i]);
      sums.find<T>(task.step.order[i]);
    }
  });
}

/// Bodies by the slabs of a patch that they touch, across its longest axis: threads that work on
/// slabs share no nodes.
class Slabs {
 public:
  Slabs(const BodyTask& task, const NodesOfPatch& nodes, Executor& executor)
      : axis_(longest_axis(nodes)),
        layers_(nodes.upper[axis_] - nodes.lower[axis_]),
        bodies_(static_cast<std::size_t>((layers_ + thickness - 1) / thickness)) {
    std::vector<Layers> met(static_cast<std::size_t>(task.step.count));  // in their order
    executor.parallel(task.step.count, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const device::BodyPlace& place = task.step.places[task.step.order[i]];
        if (!meet(nodes, place)) continue;
        met[static_cast<std::size_t>(i)] = {axis_, place.lower[axis_], place.upper[axis_]};
      }
    });
    const device::Index period = nodes.cells[axis_];
    for (std::size_t i = 0; i < met.size(); ++i) {
      if (met[i].begin == met[i].end) continue;
      for (device::Index shift = -period; shift <= period; shift += period) {
        const device::Index by = shift - nodes.lower[axis_];
        add(task.step.order[i], met[i].begin + by, met[i].end + by);
        if (period == 0) break;
      }
    }
  }
  Index count() const { return static_cast<Index>(bodies_.size()); }
  Layers layers(Index slab) const {
    return {axis_, slab * thickness, std::min((slab + 1) * thickness, layers_)};
  }
  const std::vector<device::int32>& bodies(Index slab) const {
    return bodies_[static_cast<std::size_t>(slab)];
  }

 private:
  static constexpr device::Index thickness = 8;

  static int longest_axis(const NodesOfPatch& nodes) {
    int longest = 2;
    for (const int a : {1, 0}) {
      const bool is_longer =
          nodes.upper[a] - nodes.lower[a] > nodes.upper[longest] - nodes.lower[longest];
      longest = is_longer ? a : longest;
    }
    return longest;
  }
  void add(device::int32 body, device::Index lower, device::Index upper) {
    lower = std::max<device::Index>(lower, 0);
    upper = std::min(upper, layers_);
    for (device::Index slab = lower / thickness; slab * thickness < upper; ++slab) {
      auto& all = bodies_[static_cast<std::size_t>(slab)];
      if (all.empty() || all.back() != body) all.push_back(body);
    }
  }

  int axis_;
  device::Index layers_;
  std::vector<std::vector<device::int32>> bodies_;
};

void push_on_patch(const BodyTask& task, const NodesOfPatch& nodes, Executor& executor) {
  const Slabs slabs(task, nodes, executor);
  executor.parallel(slabs.count(), [&](Index begin, Index end) {
    NodesAround around;
    for (Index slab = begin; slab < end; ++slab) {
      for (const Index n : slabs.bodies(slab)) {
        around.find(nodes, task.step.places[n], slabs.layers(slab), [](const Real3&) {});
        around.push(nodes, task.step.pushes[n]);
      }
    }
  });
}

template <class T>
void push(const BodyTask& task, Executor& executor) {
  for (const NodesOfPatch& nodes : task.patches) {
    executor.parallel(3 * nodes.count, [&](Index begin, Index end) {
      std::fill(nodes.sums + begin, nodes.sums + end, 0);
    });
    push_on_patch(task, nodes, executor);
    const device::Index x = nodes.extents[0], y = nodes.extents[1];
    executor.parallel(nodes.count / x, [&](Index begin, Index end) {
      for (device::Index row = begin; row < end; ++row) {
        for (int axis = 0; axis < 3; ++axis) {
          for (device::Index i = 0; i < x; ++i) {
            nodes.store_force<T>({i, row % y, row / y}, axis, task.unit);
          }
        }
      }
    });
  }
}

template <class Use>
void with_type(const BodyTask& task, const Use& use) {
  task.type == ElementType::float32 ? use(float{}) : use(double{});
}

}  // namespace

void sum_on_host(const BodyTask& task, const FluidNodes& nodes, Executor& executor) {
  with_type(task, [&]<class T>(T) { add_up<T>(task, nodes, executor); });
}

void push_on_host(const BodyTask& task, Executor& executor) {
  with_type(task, [&]<class T>(T) { push<T>(task, executor); });
}

}  // namespace goban
