#include "goban/domain/engine/kernels_ahead.hpp"

#include <deque>
#include <map>
#include <utility>
#include <variant>

#include "goban/domain/engine/device_numbers.hpp"

namespace goban {
namespace {

using Ahead = std::map<Executor*, std::vector<TaskAhead>>;

/// All but messages, whose kernels are few and small.
void add_task(const BoundCommand& bound, Ahead& all) {
  if (!bound.executor || !bound.executor->compiler()) return;
  auto& tasks = all[bound.executor];
  if (const auto* sweep = std::get_if<BoundSweep>(&bound.work)) {
    tasks.push_back(&sweep->task);
  } else if (const auto* pass = std::get_if<BoundPass>(&bound.work)) {
    tasks.push_back(&pass->task);
  } else if (const auto* fill = std::get_if<BoundFill>(&bound.work)) {
    tasks.push_back(&fill->tasks);
  } else if (const auto* copy = std::get_if<BoundCopy>(&bound.work)) {
    tasks.push_back(&copy->tasks);
  }
}

}  // namespace

void compile_kernels(const std::vector<std::shared_ptr<Phase>>& phases) {
  Ahead all;
  for (const auto& phase : phases) {
    if (std::exchange(phase->is_compiled, true)) continue;
    for (const BoundCommand& bound : phase->bound) add_task(bound, all);
  }
  for (const auto& [executor, tasks] : all) executor->compiler()->compile(tasks);
}

void compile_kernels(const std::vector<std::shared_ptr<Phase>>& phases,
                     const DeviceNumbers& numbers,
                     const std::vector<std::shared_ptr<const Stage>>& scalars, Executor& device) {
  if (!device.compiler()) return;
  std::deque<SweepTask> sweeps;
  std::deque<ScalarTask> computed;
  std::vector<TaskAhead> tasks;
  for (const auto& phase : phases) {
    for (const BoundCommand& bound : phase->bound) {
      const auto* const sweep = std::get_if<BoundSweep>(&bound.work);
      if (!sweep) continue;
      SweepTask& task = sweeps.emplace_back(sweep->task);
      task.numbers = numbers.places(*task.stage);
      tasks.push_back(&task);
    }
  }
  for (const auto& stage : scalars) tasks.push_back(&computed.emplace_back(numbers.task(stage)));
  device.compiler()->compile(tasks);
}

}  // namespace goban
