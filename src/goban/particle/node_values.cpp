#include "goban/particle/node_values.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "goban/domain/data/domain.hpp"

namespace goban {
namespace {

using device::NodesOfPatch;

/// Calls visit(node) for all nodes that a body may see.
template <class Visit>
void visit_box(const device::BodyPlace& place, const Visit& visit) {
  device::Index at[3];
  for (at[2] = place.lower[2]; at[2] < place.upper[2]; ++at[2]) {
    for (at[1] = place.lower[1]; at[1] < place.upper[1]; ++at[1]) {
      for (at[0] = place.lower[0]; at[0] < place.upper[0]; ++at[0]) visit(at);
    }
  }
}

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

/// Calls work(body, where it is, a patch that it may see) by all threads, each body by one.
template <class Work>
void visit_bodies(const BodyTask& task, Executor& executor, const Work& work) {
  executor.parallel(static_cast<Index>(task.bodies.size()), [&](Index begin, Index end) {
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
      const device::BodyPlace place = place_in(task, n);
      for (const NodesOfPatch& nodes : task.patches) {
        if (meet(nodes, place)) work(n, place, nodes);
      }
    }
  });
}

template <class T>
void add_sums_on_host(const BodyTask& task, Executor& executor, Index* sums) {
  visit_bodies(task, executor,
               [&](std::size_t n, const device::BodyPlace& place, const NodesOfPatch& nodes) {
                 Index* const of_body = sums + n * device::body_sums;
                 visit_box(place, [&](const device::Index(&at)[3]) {
                   device::add_node_at<T>(nodes, place, at,
                                          [&](int s, Index value) { of_body[s] += value; });
                 });
               });
}

template <class T>
void push_on_host(const BodyTask& task, Executor& executor, const device::BodyPush* pushes,
                  double unit) {
  for (const NodesOfPatch& nodes : task.patches) {
    executor.parallel(3 * nodes.count, [&](Index begin, Index end) {
      std::fill(nodes.sums + begin, nodes.sums + end, 0);
    });
  }
  visit_bodies(task, executor,
               [&](std::size_t n, const device::BodyPlace& place, const NodesOfPatch& nodes) {
                 visit_box(place, [&](const device::Index(&at)[3]) {
                   device::push_node_at(
                       nodes, place, pushes[n], at, [](device::uint64* sum, Index force) {
                         std::atomic_ref(*sum).fetch_add(static_cast<device::uint64>(force),
                                                         std::memory_order_relaxed);
                       });
                 });
               });
  for (const NodesOfPatch& nodes : task.patches) {
    const device::Index x = nodes.upper[0] - nodes.lower[0], y = nodes.upper[1] - nodes.lower[1];
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

NodeValues::NodeValues(std::shared_ptr<const FluidNodes> nodes, CoupledFields fields)
    : nodes_(std::move(nodes)), fields_(std::move(fields)) {}

/// Memory for sums of forces, the same as long as patches are.
void NodeValues::allocate() {
  parts_.clear();
  Domain& domain = nodes_->domain();
  for (const PatchGeometry& patch : domain.patches().of_grid(nodes_->grid()->number)) {
    Executor* const executor = &domain.executor(patch.patch);
    auto part = std::find_if(parts_.begin(), parts_.end(),
                             [&](const Part& p) { return p.executor == executor; });
    if (part == parts_.end()) part = parts_.insert(part, Part{executor, {}, nullptr});
    part->task.type = fields_.velocity->type;
    NodesOfPatch nodes{};
    nodes.count = patch.owned.volume();
    part->task.patches.push_back(nodes);
  }
  for (Part& part : parts_) {
    Index count = 0;
    for (const NodesOfPatch& nodes : part.task.patches) count += 3 * nodes.count;
    part.memory = part.executor->allocate(static_cast<std::size_t>(count) * sizeof(std::uint64_t));
    auto* sums = reinterpret_cast<device::uint64*>(part.memory.get());
    for (NodesOfPatch& nodes : part.task.patches) {
      nodes.sums = sums;
      sums += 3 * nodes.count;
    }
  }
}

void NodeValues::open() {
  Domain& domain = nodes_->domain();
  const GridState& grid = *nodes_->grid();
  domain.synchronize();
  if (std::exchange(distribution_, nodes_->distribution()) != nodes_->distribution()) allocate();
  std::map<Executor*, std::size_t> next;  // of its patches
  for (const PatchGeometry& patch : domain.patches().of_grid(grid.number)) {
    Executor* const executor = &domain.executor(patch.patch);
    const auto part = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const Part& p) { return p.executor == executor; });
    NodesOfPatch& nodes = part->task.patches[next[executor]++];
    const auto bind = [&](const FieldRecord& field) {
      return domain.bind(domain.buffer(field.id), patch.patch);
    };
    const FieldBinding velocity = bind(*fields_.velocity), force = bind(*fields_.force);
    const FieldBinding solid = fields_.solid ? bind(*fields_.solid) : FieldBinding{};
    const auto size = static_cast<Index>(size_of(part->task.type));
    nodes.solid = reinterpret_cast<const std::uint8_t*>(solid.read);
    for (int a = 0; a < 3; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      nodes.cells[a] = grid.is_periodic(a) ? grid.cells[axis] : 0;
      nodes.lower[a] = patch.owned.lower[axis];
      nodes.upper[a] = patch.owned.upper[axis];
      nodes.stride[a] = velocity.stride[axis];
      nodes.solid_stride[a] = solid.stride[axis];
      nodes.force_stride[a] = force.stride[axis];
      nodes.velocity[a] = velocity.read + size * velocity.component_offset(a);
      nodes.force[a] = force.write + size * force.component_offset(a);
    }
  }
}

void NodeValues::add_sums(std::span<const device::BodyState> bodies,
                          std::span<const device::BodyKernel> kernels, Index* sums) const {
  for (const Part& part : parts_) {
    BodyTask task = part.task;
    task.bodies = bodies;
    task.kernels = kernels;
    if (BodyKernels* const device = part.executor->bodies()) {
      device->add_sums(task, sums);
    } else {
      with_type(task, [&]<class T>(T) { add_sums_on_host<T>(task, *part.executor, sums); });
    }
  }
}

void NodeValues::push(std::span<const device::BodyState> bodies,
                      std::span<const device::BodyPush> pushes,
                      std::span<const device::BodyKernel> kernels, double unit) {
  for (const Part& part : parts_) {
    BodyTask task = part.task;
    task.bodies = bodies;
    task.kernels = kernels;
    if (BodyKernels* const device = part.executor->bodies()) {
      device->push(task, pushes.data(), unit);
    } else {
      with_type(task,
                [&]<class T>(T) { push_on_host<T>(task, *part.executor, pushes.data(), unit); });
    }
  }
  nodes_->domain().forget_halo(fields_.force->id);
}

}  // namespace goban
