#include "goban/backend/cuda/bodies.hpp"

#include <algorithm>
#include <vector>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/kernels/bodies.cuh"

namespace goban::cuda {
namespace {

constexpr const char* coupling = "coupling bodies";

LaunchGrid block_each(std::size_t bodies) {
  LaunchGrid grid{{static_cast<unsigned int>(bodies)}, {device::body_threads}};
  grid.is_dependent = false;
  return grid;
}

}  // namespace

BodyLauncher::Memory::~Memory() {
  if (memory_) free_memory(memory_);
}

void* BodyLauncher::Memory::get(std::size_t bytes) {
  if (bytes <= bytes_) return memory_;
  if (memory_) free_memory(memory_);
  memory_ = nullptr;
  bytes_ = 0;
  memory_ = allocate(bytes + bytes / 2, "allocating memory for bodies");
  bytes_ = bytes + bytes / 2;
  return memory_;
}

template <class T>
const T* BodyLauncher::upload(Memory& memory, const T* from, std::size_t count, CUstream stream) {
  auto* const to = static_cast<T*>(memory.get(count * sizeof(T)));
  check(driver().cuMemcpyHtoDAsync(address(to), from, count * sizeof(T), stream), coupling);
  check(driver().cuStreamSynchronize(stream), coupling);
  return to;
}

void BodyLauncher::add_sums(const BodyTask& task, std::int64_t* sums, CUstream stream) {
  const std::size_t count = task.bodies.size();
  if (count == 0 || task.patches.empty()) return;
  const auto* bodies = upload(bodies_, task.bodies.data(), count, stream);
  const auto* kernels = upload(kernels_, task.kernels.data(), task.kernels.size(), stream);
  const auto* patches = upload(patches_, task.patches.data(), task.patches.size(), stream);
  const std::size_t bytes = count * device::body_sums * sizeof(std::int64_t);
  auto* found = static_cast<device::uint64*>(sums_.get(bytes));
  check(driver().cuMemsetD8Async(address(found), 0, bytes, stream), coupling);
  launch(body_sums_kernel(task.type).here(), block_each(count), stream, coupling, bodies, kernels,
         patches, static_cast<int>(task.patches.size()), found);
  std::vector<std::int64_t> part(count * device::body_sums);
  check(driver().cuMemcpyDtoHAsync(part.data(), address(found), bytes, stream), coupling);
  check(driver().cuStreamSynchronize(stream), coupling);
  for (std::size_t n = 0; n < part.size(); ++n) sums[n] += part[n];
}

void BodyLauncher::push(const BodyTask& task, const device::BodyPush* pushes, double unit,
                        CUstream stream) {
  if (task.patches.empty()) return;
  Index most = 0;
  for (const device::NodesOfPatch& nodes : task.patches) {
    const auto bytes = static_cast<std::size_t>(3 * nodes.count) * sizeof(std::uint64_t);
    check(driver().cuMemsetD8Async(address(nodes.sums), 0, bytes, stream), coupling);
    most = std::max<Index>(most, nodes.count);
  }
  const auto* patches = upload(patches_, task.patches.data(), task.patches.size(), stream);
  const std::size_t count = task.bodies.size();
  if (count > 0) {
    const auto* bodies = upload(bodies_, task.bodies.data(), count, stream);
    const auto* kernels = upload(kernels_, task.kernels.data(), task.kernels.size(), stream);
    const auto* given = upload(pushes_, pushes, count, stream);
    launch(body_push_kernel(task.type).here(), block_each(count), stream, coupling, bodies, kernels,
           patches, static_cast<int>(task.patches.size()), given);
  }
  constexpr Index most_blocks = 4096;
  const Index blocks = std::min(most_blocks, most / device::body_threads + 1);
  LaunchGrid grid{
      {static_cast<unsigned int>(blocks), static_cast<unsigned int>(task.patches.size())},
      {device::body_threads}};
  grid.is_dependent = false;
  launch(body_store_kernel(task.type).here(), grid, stream, coupling, patches, unit);
}

}  // namespace goban::cuda
