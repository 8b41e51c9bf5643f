#include "goban/particle/body_part.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "goban/particle/host_bodies.hpp"

namespace goban {
namespace {

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
