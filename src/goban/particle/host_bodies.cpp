#include "goban/particle/host_bodies.hpp"

#include <algorithm>
#include <cstring>

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

}  // namespace

std::unique_ptr<BodyKernels> host_bodies(Executor& executor,
                                         std::shared_ptr<const FluidNodes> nodes) {
  return std::make_unique<HostBodies>(executor, std::move(nodes));
}

}  // namespace goban
