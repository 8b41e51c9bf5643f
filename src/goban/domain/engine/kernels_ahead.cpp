#include "goban/domain/engine/kernels_ahead.hpp"

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "goban/domain/engine/device_numbers.hpp"

namespace goban {
namespace {

using Bundles = std::deque<std::vector<const SweepTask*>>;

/// Returns the sweeps that are submitted together with a command, its own first.
std::vector<const SweepTask*> submitted_with(const BoundCommand& first) {
  std::vector<const SweepTask*> tasks;
  for (const BoundCommand* bound = &first; bound <= &first + first.bundled; ++bound) {
    tasks.push_back(&std::get<BoundSweep>(bound->work).task);
  }
  return tasks;
}

/// Adds the kernels of one command. Messages are left out, as their kernels are few and small, and
/// so are commands that are submitted together with an earlier one.
std::optional<TaskAhead> task_of(const BoundCommand& bound, Bundles& bundles) {
  if (std::holds_alternative<BoundSweep>(bound.work)) {
    return &bundles.emplace_back(submitted_with(bound));
  }
  if (const auto* pass = std::get_if<BoundPass>(&bound.work)) return &pass->task;
  if (const auto* fill = std::get_if<BoundFill>(&bound.work)) return &fill->tasks;
  if (const auto* copy = std::get_if<BoundCopy>(&bound.work)) return &copy->tasks;
  return {};
}

}  // namespace

void compile_kernels(const std::vector<std::shared_ptr<Phase>>& phases) {
  std::map<Executor*, std::vector<TaskAhead>> all;
  Bundles bundles;
  for (const auto& phase : phases) {
    if (std::exchange(phase->is_compiled, true)) continue;
    for (std::size_t i = 0; i < phase->bound.size(); ++i) {
      const BoundCommand& bound = phase->bound[i];
      i += static_cast<std::size_t>(bound.bundled);
      if (!bound.executor || !bound.executor->compiler()) continue;
      if (const auto task = task_of(bound, bundles)) all[bound.executor].push_back(*task);
    }
  }
  for (const auto& [executor, tasks] : all) executor->compiler()->compile(tasks);
}

void compile_kernels(const std::vector<std::shared_ptr<const Stage>>& scalars,
                     const DeviceNumbers& numbers, Executor& device) {
  if (!device.compiler()) return;
  std::deque<ScalarTask> computed;
  std::vector<TaskAhead> tasks;
  for (const auto& stage : scalars) tasks.push_back(&computed.emplace_back(numbers.task(stage)));
  device.compiler()->compile(tasks);
}

}  // namespace goban
