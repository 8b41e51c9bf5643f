#pragma once
// Bodies and the nodes around them: a block for each body. Velocities and forces are of `Element`.

#include "goban/backend/kernels/bodies.hpp"

namespace goban::device {

inline constexpr int body_threads = 128;

}  // namespace goban::device

#if GOBAN_KERNEL

namespace goban::device {

/// Calls visit(node) for all nodes that a body may see; threads of a block take them in turn.
template <class Visit>
GOBAN_DEVICE void visit_box(const BodyPlace& place, Visit&& visit) {
  const auto x = static_cast<uint32>(place.upper[0] - place.lower[0]);
  const auto y = static_cast<uint32>(place.upper[1] - place.lower[1]);
  const auto all = x * y * static_cast<uint32>(place.upper[2] - place.lower[2]);
  for (uint32 n = threadIdx.x; n < all; n += body_threads) {
    const Index at[3] = {place.lower[0] + n % x, place.lower[1] + n / x % y,
                         place.lower[2] + n / x / y};
    visit(at);
  }
}

}  // namespace goban::device

extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_sums(const goban::device::BodyState* bodies,
                    const goban::device::BodyKernel* kernels,
                    const goban::device::NodesOfPatch* patches, int count,
                    goban::device::uint64* sums) {
  using namespace goban::device;
  const BodyState& body = bodies[blockIdx.x];
  const BodyPlace place = place_of(body, kernels[body.shape]);
  double mine[body_sums] = {};
  for (int p = 0; p < count; ++p) {
    visit_box(place, [&](const Index(&at)[3]) {
      add_node_at<Element>(patches[p], place, at, [&](int n, double value) { mine[n] += value; });
    });
  }
#pragma unroll
  for (int n = 0; n < body_sums; ++n) {
    auto sum = static_cast<uint64>(static_cast<int64>(mine[n]));
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0 && sum != 0) {
      atomicAdd(sums + static_cast<Index>(blockIdx.x) * body_sums + n, sum);
    }
  }
}

extern "C" __global__ void __launch_bounds__(goban::device::body_threads)
    goban_body_push(const goban::device::BodyState* bodies,
                    const goban::device::BodyKernel* kernels,
                    const goban::device::NodesOfPatch* patches, int count,
                    const goban::device::BodyPush* pushes) {
  using namespace goban::device;
  const BodyState& body = bodies[blockIdx.x];
  const BodyPlace place = place_of(body, kernels[body.shape]);
  const BodyPush push = pushes[blockIdx.x];
  for (int p = 0; p < count; ++p) {
    visit_box(place, [&](const Index(&at)[3]) {
      push_node_at(patches[p], place, push, at,
                   [](uint64* sum, int64 force) { atomicAdd(sum, static_cast<uint64>(force)); });
    });
  }
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
