#pragma once
// Steps of bodies. Velocities and forces on nodes are of `Element`.

#include "goban/backend/kernels/body_step.hpp"

namespace goban::device {

/// The threads of a block. Those of a warp share the nodes of a body.
inline constexpr int body_threads = 128;
inline constexpr int body_warps = body_threads / 32;
static_assert(body_sums <= 32, "a lane for each");

}  // namespace goban::device

#if GOBAN_KERNEL

namespace goban::device {

/// The number of a thread, and of a warp.
GOBAN_DEVICE Index number_of_thread() {
  return static_cast<Index>(blockIdx.x) * body_threads + threadIdx.x;
}
GOBAN_DEVICE Index number_of_warp() {
  return static_cast<Index>(blockIdx.x) * body_warps + threadIdx.x / 32;
}

/// Calls visit(node) for all nodes that have a weight; threads of a warp, which are all there, take
/// them in turn. They are found first, as most of the box have none.
template <class Visit>
GOBAN_DEVICE void visit_nodes(const BodyPlace& place, Visit&& visit) {
  constexpr uint32 most = 1024, whole_warp = 0xffffffffu;
  __shared__ uint16 of_warps[body_warps][most];
  uint16* const found = of_warps[threadIdx.x / 32];
  const uint32 lane = threadIdx.x % 32;
  const auto x = static_cast<uint32>(place.upper[0] - place.lower[0]);
  const auto y = static_cast<uint32>(place.upper[1] - place.lower[1]);
  const auto all = x * y * static_cast<uint32>(place.upper[2] - place.lower[2]);
  const auto with_node = [&](uint32 n, auto&& use) {
    const Index at[3] = {place.lower[0] + n % x, place.lower[1] + n / x % y,
                         place.lower[2] + n / x / y};
    use(at);
  };
  for (uint32 begin = 0; begin < all; begin += most) {
    const uint32 some = all - begin < most ? all - begin : most;
    uint32 count = 0;
    for (uint32 n = 0; n < some; n += 32) {
      bool has = false;
      if (n + lane < some) {
        with_node(begin + n + lane, [&](const Index(&at)[3]) { has = has_weight(place, at); });
      }
      const uint32 which = __ballot_sync(whole_warp, has);
      if (has) found[count + __popc(which & ((1u << lane) - 1))] = static_cast<uint16>(n + lane);
      count += __popc(which);
    }
    __syncwarp();
    for (uint32 i = lane; i < count; i += 32) with_node(begin + found[i], visit);
    __syncwarp();
  }
}

}  // namespace goban::device

/// A thread for each body.
extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_link(const goban::device::BodyStep step) {
  const goban::device::Index n = goban::device::number_of_thread();
  if (n < step.count) goban::device::link_body(step, n);
}

/// A thread for each body; own ones have work.
extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_repel(const goban::device::BodyStep step) {
  const goban::device::Index i = goban::device::number_of_thread();
  if (i < step.count && step.order[i] < step.own) goban::device::repel_body(step, step.order[i]);
}

/// A thread for each body.
extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_place(const goban::device::BodyStep step) {
  const goban::device::Index n = goban::device::number_of_thread();
  if (n < step.count) goban::device::place_body(step, n);
}

/// A warp for each body.
extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_sum(const goban::device::BodyStep step) {
  using namespace goban::device;
  const Index i = number_of_warp();
  if (i >= step.count) return;
  const Index body = step.order[i];
  const BodyPlace place = step.places[body];
  double mine[body_sums] = {};
  visit_nodes(place, [&](const Index(&at)[3]) {
    sum_node<Element>(step, body, place, at, [&](int n, double value) { mine[n] += value; });
  });
  const int lane = static_cast<int>(threadIdx.x % 32);
  int64 of_lane = 0;
#pragma unroll
  for (int n = 0; n < body_sums; ++n) {
    auto sum = static_cast<uint64>(static_cast<int64>(mine[n]));
    for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
    if (lane == n) of_lane = static_cast<int64>(sum);
  }
  if (lane < body_sums) step.sums[body * body_sums + lane] = of_lane;
}

/// A thread for each own body.
extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_move(const goban::device::BodyStep step) {
  const goban::device::Index n = goban::device::number_of_thread();
  if (n < step.own) goban::device::move_body(step, n);
}

/// A warp for each body.
extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_push(const goban::device::BodyStep step) {
  using namespace goban::device;
  const Index i = number_of_warp();
  if (i >= step.count) return;
  const Index body = step.order[i];
  const BodyPlace place = step.places[body];
  const BodyPush push = step.pushes[body];
  visit_nodes(place, [&](const Index(&at)[3]) {
    for (int32 p = 0; p < step.patch_count; ++p) {
      push_node_at(step.patches[p], place, push, at,
                   [](uint64* sum, int64 force) { atomicAdd(sum, static_cast<uint64>(force)); });
    }
  });
}

/// Rows of blocks for patches.
extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_store(const goban::device::NodesOfPatch* patches, double unit) {
  using namespace goban::device;
  const NodesOfPatch& nodes = patches[blockIdx.y];
  const Index x = nodes.extents[0], y = nodes.extents[1];
  for (Index n = static_cast<Index>(blockIdx.x) * body_threads + threadIdx.x; n < nodes.count;
       n += static_cast<Index>(gridDim.x) * body_threads) {
    const Index local[3] = {n % x, n / x % y, n / x / y};
    for (int axis = 0; axis < 3; ++axis) nodes.store_force<Element>(local, axis, unit);
  }
}

#endif
