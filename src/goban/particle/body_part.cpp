#include "goban/particle/body_part.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "goban/backend/api.hpp"
#include "goban/particle/nodes/fluid_nodes.hpp"
#include "goban/particle/nodes/host_nodes.hpp"

namespace goban {
namespace {

class HostBodies : public BodyKernels {
 public:
  HostBodies(Executor& executor, std::shared_ptr<const FluidNodes> nodes)
      : executor_(executor), nodes_(std::move(nodes)) {}

  void run(BodyWork work, const BodyTask& task) override {
    const device::BodyStep& step = task.step;
    switch (work) {
      case BodyWork::repel: return repel(step);
      case BodyWork::sum: return sum_on_host(task, *nodes_, executor_);
      case BodyWork::move: return each(step.own, [&](Index n) { device::move_body(step, n); });
      case BodyWork::push: return push_on_host(task, executor_);
    }
  }
  bool has_failed(const BodyTask& task) override { return *task.step.has_failed != 0; }
  void put(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void take(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  BodyTimes times() const override { return {}; }

 private:
  template <class Work>
  void each(Index count, const Work& work) {
    executor_.parallel(count, [&](Index begin, Index end) {
      for (Index n = begin; n < end; ++n) work(n);
    });
  }
  void repel(const device::BodyStep& step) {
    each(static_cast<Index>(step.near.mask + 1), [&](Index i) { step.near.first[i] = -1; });
    each(step.count, [&](Index n) { device::link_body(step, n); });
    each(step.count, [&](Index i) {
      if (step.order[i] < step.own) device::repel_body(step, step.order[i]);
    });
  }

  Executor& executor_;
  std::shared_ptr<const FluidNodes> nodes_;
};

/// By the threads of an executor; returns from everything when it is done.
std::unique_ptr<BodyKernels> host_bodies(Executor& executor,
                                         std::shared_ptr<const FluidNodes> nodes) {
  return std::make_unique<HostBodies>(executor, std::move(nodes));
}

/// Bodies one after the other through blocks of nodes, so that those which follow each other find
/// theirs in caches.
std::vector<device::int32> through_blocks(const BodyPart::States& own,
                                          const BodyPart::States& others) {
  constexpr int bits = 3, most = 20;
  std::vector<std::pair<Index, device::int32>> keys;
  keys.reserve(own.size() + others.size());
  const auto add = [&](const device::BodyState& body) {
    Index key = 0;
    for (int a = 2; a >= 0; --a) {
      key = (key << most) + (device::floor_of(body.position[a]) >> bits);
    }
    keys.emplace_back(key, static_cast<device::int32>(keys.size()));
  };
  std::for_each(own.begin(), own.end(), add);
  std::for_each(others.begin(), others.end(), add);
  std::sort(keys.begin(), keys.end());
  std::vector<device::int32> order;
  order.reserve(keys.size());
  for (const auto& [key, n] : keys) order.push_back(n);
  return order;
}

bool are_same(const std::vector<device::NodesOfPatch>& a,
              const std::vector<device::NodesOfPatch>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

}  // namespace

BodyPart::BodyPart(const CoupledNodes& there, const std::shared_ptr<const FluidNodes>& nodes,
                   const device::BodyStep& rules, const std::vector<device::BodyNumbers>& shapes)
    : executor_(*there.executor),
      of_host_(executor_.bodies() ? nullptr : host_bodies(executor_, nodes)) {
  kernels_ = of_host_ ? of_host_.get() : executor_.bodies();
  task_.type = there.type;
  device::BodyStep& step = task_.step;
  step = rules;
  step.shapes = copy_of(shapes_, shapes);
  step.has_failed = flag_.room_for(executor_, 1);
  if (!nodes->tiles().empty()) {
    step.grid.tiles = copy_of(tiles_, nodes->tiles());
    step.grid.planes = copy_of(planes_, nodes->planes());
  }
}

void BodyPart::put(const States& own, const States& others) {
  device::BodyStep& step = task_.step;
  const std::size_t count = own.size() + others.size();
  step.own = static_cast<device::int32>(own.size());
  step.count = static_cast<device::int32>(count);
  step.near.mask = std::bit_ceil(std::max<std::size_t>(1024, 2 * count)) - 1;
  step.near.first = first_.room_for(executor_, step.near.mask + 1);
  step.bodies = bodies_.room_for(executor_, count);
  step.moved = moved_.room_for(executor_, count);
  step.places = places_.room_for(executor_, count);
  step.links = links_.room_for(executor_, count);
  step.forces = forces_.room_for(executor_, own.size());
  step.sums = sums_.room_for(executor_, count * device::body_sums);
  step.pushes = pushes_.room_for(executor_, count);
  step.faults = faults_.room_for(executor_, own.size());
  put(step.bodies, own);
  put(step.bodies + own.size(), others);
  put_order(own, others);
}

void BodyPart::put_order(const States& own, const States& others) {
  task_.step.order = copy_of(order_, through_blocks(own, others));
}

void BodyPart::bind(const CoupledNodes& there, double unit) {
  task_.type = there.type;
  task_.unit = unit;
  if (are_same(task_.patches, there.patches)) return;
  task_.patches = there.patches;
  task_.step.patches = copy_of(patches_, there.patches);
  task_.step.patch_count = static_cast<device::int32>(there.patches.size());
}

}  // namespace goban
