#include "goban/backend/cuda/bodies.hpp"

#include <algorithm>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/compiled/own_kernels.hpp"
#include "goban/backend/cuda/kernels/bodies.cuh"

namespace goban::cuda {
namespace {

constexpr const char* coupling = "coupling bodies";

LaunchGrid blocks(Index count) {
  LaunchGrid grid{{static_cast<unsigned int>(count)}, {device::body_threads}};
  grid.is_dependent = false;
  return grid;
}

void launch_each(const OwnKernel& kernel, const LaunchGrid& grid, const BodyTask& task,
                 CUstream stream) {
  if (grid.blocks.x > 0) launch(kernel.here(), grid, stream, coupling, task.step);
}

LaunchGrid thread_each(Index bodies) {
  return blocks((bodies + device::body_threads - 1) / device::body_threads);
}
LaunchGrid warp_each(Index bodies) {
  return blocks((bodies + device::body_warps - 1) / device::body_warps);
}

CUevent make_event() {
  CUevent event = nullptr;
  check(driver().cuEventCreate(&event, CU_EVENT_DEFAULT), coupling);
  return event;
}

double seconds_between(CUevent begin, CUevent end) {
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, begin, end), coupling);
  return milliseconds * 1e-3;
}

}  // namespace

void BodyLauncher::close() {
  if (!has_failed_) return;
  for (const Events& one : events_) {
    driver().cuEventDestroy(one.begin);
    driver().cuEventDestroy(one.end);
  }
  driver().cuEventDestroy(moved_);
  driver().cuMemFreeHost(has_failed_);
}

void BodyLauncher::prepare() {
  if (has_failed_) return;
  for (Events& one : events_) one = {make_event(), make_event()};
  moved_ = make_event();
  has_failed_ = static_cast<int*>(allocate_pinned(sizeof(int)));
}

void BodyLauncher::begin_step(CUstream stream) {
  prepare();
  ++steps_;
  events(0).has_ended = false;
  check(driver().cuEventRecord(events(0).begin, stream), coupling);
}

void BodyLauncher::run(BodyWork work, const BodyTask& task, CUstream stream) {
  switch (work) {
    case BodyWork::repel: return repel(task, stream);
    case BodyWork::sum: return sum(task, stream);
    case BodyWork::move: return move(task, stream);
    case BodyWork::push: return push(task, stream);
  }
}

void BodyLauncher::repel(const BodyTask& task, CUstream stream) {
  const auto& kernels = BodyStepKernels::of(task.type);
  const device::NearCells& near = task.step.near;
  check(driver().cuMemsetD8Async(address(near.first), 0xff, (near.mask + 1) * sizeof(int), stream),
        coupling);
  launch_each(kernels.link, thread_each(task.step.count), task, stream);
  launch_each(kernels.repel, thread_each(task.step.count), task, stream);
}

void BodyLauncher::sum(const BodyTask& task, CUstream stream) {
  const auto& kernels = BodyStepKernels::of(task.type);
  launch_each(kernels.place, thread_each(task.step.count), task, stream);
  launch_each(kernels.sum, warp_each(task.step.count), task, stream);
}

void BodyLauncher::move(const BodyTask& task, CUstream stream) {
  launch_each(BodyStepKernels::of(task.type).move, thread_each(task.step.own), task, stream);
  *has_failed_ = 0;
  check(driver().cuMemcpyDtoHAsync(has_failed_, address(task.step.has_failed), sizeof(int), stream),
        coupling);
  check(driver().cuEventRecord(moved_, stream), coupling);
}

bool BodyLauncher::has_failed() {
  check(driver().cuEventSynchronize(moved_), coupling);
  const Events &now = events(0), &before = events(1);
  if (before.has_ended) {
    times_ = {seconds_between(before.begin, before.end), seconds_between(before.begin, now.begin)};
  }
  return *has_failed_ != 0;
}

void BodyLauncher::push(const BodyTask& task, CUstream stream) {
  const auto& kernels = BodyStepKernels::of(task.type);
  Index most = 0;
  for (const device::NodesOfPatch& nodes : task.patches) {
    const auto bytes = static_cast<std::size_t>(3 * nodes.count) * sizeof(std::uint64_t);
    check(driver().cuMemsetD8Async(address(nodes.sums), 0, bytes, stream), coupling);
    most = std::max<Index>(most, nodes.count);
  }
  launch_each(kernels.push, warp_each(task.step.count), task, stream);
  constexpr Index most_blocks = 4096;
  LaunchGrid grid = blocks(std::min(most_blocks, most / device::body_threads + 1));
  grid.blocks.y = static_cast<unsigned int>(task.patches.size());
  launch(kernels.store.here(), grid, stream, coupling, task.step.patches, task.unit);
  check(driver().cuEventRecord(events(0).end, stream), coupling);
  events(0).has_ended = true;
}

}  // namespace goban::cuda
