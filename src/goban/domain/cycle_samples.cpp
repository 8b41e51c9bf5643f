// What a cycle takes of values that are wanted of every step.

#include <algorithm>

#include "goban/domain/cycle_run.hpp"
#include "goban/domain/sample_memory.hpp"

namespace goban {

SampleMemory& CycleRun::samples_of(const Operation& op) {
  const Samples* samples = instance(op.instance).stage->samples.get();
  return *std::find_if(samples_.begin(), samples_.end(),
                       [&](const SampleMemory& memory) { return &memory.samples() == samples; });
}

/// Of the step as it will be when it is over.
Index CycleRun::begin_record(const Operation& op) {
  return samples_of(op).begin(clock_.step + 1, clock_.time + clock_.current_dt());
}

void CycleRun::sample(const Operation& op) {
  const Instance& it = instance(op.instance);
  const Index record = begin_record(op);
  for (const auto& patch : schedule_.patches) {
    std::vector<CopyTask> tasks;
    std::vector<Touch> touches;
    for (auto& copy : samples_of(op).copies(patch.patch, record)) {
      CopyTask& task = tasks.emplace_back(std::move(copy.task));
      task.source = component(it.slot[copy.field], patch.patch, copy.component);
      touches.push_back(touch(task.source, copy.component, task.source_box, false));
    }
    if (tasks.empty()) continue;
    Executor& executor = domain_.executor(patch.patch);
    const Submission submission{Stream::compute, {}, patch.patch, clock_.step};
    if (!executor.is_asynchronous()) {
      executor.copy(tasks, submission);
      continue;
    }
    submissions_.add(Submissions::Work::moves, submission, std::move(touches),
                     [&executor, tasks = std::move(tasks)](const Submission& s) {
                       return executor.copy(tasks, s);
                     });
  }
}

}  // namespace goban
