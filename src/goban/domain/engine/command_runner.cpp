#include "goban/domain/engine/command_runner.hpp"

#include <algorithm>

#include "goban/backend/timeline.hpp"
#include "goban/base/activity.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/engine/sample_memory.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/program/in_place.hpp"

namespace goban {

void CommandRunner::run(Phase& phase, std::vector<EventPtr>& events, RecordedWork* recorded) {
  phase_ = &phase;
  events_ = &events;
  const bool is_replayed = recorded && recorded->is_complete();
  const auto& commands = phase.list.commands;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    BoundCommand& bound = phase.bound[i];
    if (bound.is_submitted) {
      events[i] = events[i - 1];
      continue;
    }
    if (is_replayed && !bound.is_hosts && !bound.changes) continue;
    advance_to(command.step);
    note_progress();
    kept_ = recorded && bound.has_numbers ? &recorded->numbers(*bound.executor) : nullptr;
    if (kept_ && is_replayed) {
      for (BoundCommand* one = &bound; one <= &bound + bound.bundled; ++one) {
        set_numbers(std::get<BoundSweep>(one->work).task);
      }
      continue;
    }
    if (recorded && !bound.is_hosts) recorded->open();
    if (recorded && std::holds_alternative<Reduce>(command.what)) recorded->close();
    bound.submission.step = clock_.step;
    bound.submission.recorded_as =
        recorded && bound.changes && !kept_ ? recorded->next_number() : -1;
    bound.submission.waits.clear();
    if (!is_replayed) {
      for (const Wait wait : command.waits) bound.submission.waits.push_back(event(wait));
    }
    EventPtr done =
        std::visit([&](const auto& what) { return run(command, bound, what); }, command.what);
    if (!is_replayed) events[i] = std::move(done);
  }
  advance_to(phase.list.steps);
  phase.finish(domain_, events);
}

void CommandRunner::advance_to(int step) {
  for (; step_ < step; ++step_) clock_.advance();
}

const EventPtr& CommandRunner::event(Wait wait) const {
  return wait >= 0 ? (*events_)[static_cast<std::size_t>(wait)]
                   : domain_.left(static_cast<std::size_t>(~wait));
}

/// Submits work. While cuts between devices are balanced it also measures how long the work takes,
/// without the time that it waits for other work.
template <class Submit>
EventPtr CommandRunner::submit(BoundCommand& bound, bool is_busy, Submit&& submit) {
  Submission& submission = bound.submission;
  BusyTimes& times = domain_.busy_times();
  if (!is_busy || !times.are_kept() || !bound.executor->is_asynchronous()) {
    return submit(submission);
  }
  const EventPtr begin = bound.executor->mark(submission);
  submission.waits.clear();
  const EventPtr end = submit(submission);
  times.add(bound.executor, begin, end);
  return end;
}

void CommandRunner::set_numbers(SweepTask& task) const {
  const auto& arguments = task.stage->arguments;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a].parameter) task.values[a] = arguments[a].parameter->value;
  }
  task.site.step = clock_.step;
  task.site.time = clock_.time;
  if (kept_) return keep_numbers(task);
  task.numbers = numbers_ ? numbers_->places(*task.stage) : std::vector<const double*>{};
  task.result = numbers_ ? numbers_->find(task.stage->target.get()) : nullptr;
  task.kept_numbers = nullptr;
  task.site.now = nullptr;
}

/// Puts the step, the time and the values of parameters into the executor's memory and lets the
/// task read them there.
void CommandRunner::keep_numbers(SweepTask& task) const {
  const auto& arguments = task.stage->arguments;
  auto [host, device, memory] = kept_->take(arguments.size() + 2);
  task.kept_numbers = std::move(memory);
  task.site.now = device;
  *host++ = static_cast<double>(task.site.step);
  *host++ = task.site.time;
  device += 2;
  task.numbers.assign(arguments.size(), nullptr);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    host[a] = task.values[a];
    if (arguments[a].parameter) task.numbers[a] = device + a;
  }
  task.result = nullptr;
}

EventPtr CommandRunner::bundle(BoundCommand& first) {
  std::vector<const SweepTask*> tasks;
  for (BoundCommand* bound = &first; bound <= &first + first.bundled; ++bound) {
    SweepTask& task = std::get<BoundSweep>(bound->work).task;
    set_numbers(task);
    tasks.push_back(&task);
  }
  const Stopwatch watch(split_.compute);
  return submit(first, true,
                [&](const Submission& s) { return first.executor->bundles()->bundle(tasks, s); });
}

EventPtr CommandRunner::run(const Command& command, BoundCommand& bound, const Sweep& /*sweep*/) {
  if (bound.bundled > 0) return bundle(bound);
  auto& work = std::get<BoundSweep>(bound.work);
  if (work.is_in_place) binder_.rebind(command, work);
  set_numbers(work.task);
  const Stopwatch watch(split_.compute);
  return submit(bound, true,
                [&](const Submission& s) { return bound.executor->sweep(work.task, s); });
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& bound,
                            const BlockedSweeps& /*pass*/) {
  const Stopwatch watch(split_.compute);
  return submit(bound, true, [&](const Submission& s) {
    return bound.executor->temporal_blocking()->pass(std::get<BoundPass>(bound.work).task, s);
  });
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& /*bound*/,
                            const TakeNumbers& take) {
  int pass = 0;
  for (BoundCommand& other : phase_->bound) {
    auto* const work = std::get_if<BoundPass>(&other.work);
    if (!work || pass++ != take.pass) continue;
    PassTask::Step& step = work->task.steps[static_cast<std::size_t>(take.step)];
    set_numbers(step.sweep);
    if (const auto& samples = step.sweep.stage->samples) {
      const SampleMemory& memory = samples_of(*samples);
      step.takes.clear();
      for (auto& copy : memory.copies(other.submission.patch, memory.taken() - 1)) {
        step.takes.push_back({step.reads[copy.field], copy.component, std::move(copy.task)});
      }
    }
    break;
  }
  return nullptr;
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& bound, const Fill& fill) {
  const Stopwatch watch(split_.halo);
  auto& work = std::get<BoundFill>(bound.work);
  if (work.is_in_place) binder_.rebind(fill, work);
  for (std::size_t i = 0; work.is_timed && i < work.tasks.size(); ++i) {
    work.tasks[i].condition.value = work.conditions[i]->value_at(clock_.time);
    work.tasks[i].time = clock_.time;
  }
  return submit(bound, true,
                [&](const Submission& s) { return bound.executor->fill(work.tasks, s); });
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& bound, const Copy& copy) {
  const Stopwatch watch(split_.halo);
  auto& work = std::get<BoundCopy>(bound.work);
  if (work.is_in_place) binder_.rebind(copy, work);
  return submit(bound, true,
                [&](const Submission& s) { return bound.executor->copy(work.tasks, s); });
}

EventPtr CommandRunner::messages(const Command& command, BoundCommand& bound) {
  const Stopwatch watch(split_.halo);
  auto& work = std::get<BoundMessages>(bound.work);
  if (work.is_in_place) binder_.rebind(command, *bound.executor, work);
  return work.work->submit(bound.submission);
}

EventPtr CommandRunner::run(const Command& command, BoundCommand& bound, const Post& /*post*/) {
  return messages(command, bound);
}

EventPtr CommandRunner::run(const Command& command, BoundCommand& bound, const Arrive& /*arrive*/) {
  return messages(command, bound);
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& bound,
                            const RankBarrier& /*barrier*/) {
  return bound.executor->peers()->meet_over(std::get<BoundRankBarrier>(bound.work).paths,
                                            bound.submission);
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& bound,
                            const DeviceBarrier& barrier) {
  auto& barriers = std::get<BoundDeviceBarrier>(bound.work).barriers;
  for (std::size_t i = 0; i < barriers.size(); ++i) {
    barriers[i].waits.clear();
    for (const Wait wait : barrier.all[i].waits) barriers[i].waits.push_back(event(wait));
  }
  meet(barriers);
  return nullptr;
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& /*bound*/,
                            const Reduce& reduce) {
  if (numbers_) return nullptr;  // it is there
  const Stage& stage = this->stage(reduce.instance);
  Reducer total;
  total.kind = stage.reduction;
  for (const auto& [command, step] : reduce.partials) {
    if (const EventPtr& done = event(command)) {
      const HostSpan span(domain_.grid().context->timeline(), Timeline::Kind::wait, stage.name);
      done->wait();
    }
    auto& work = phase_->bound[static_cast<std::size_t>(command)].work;
    Reducer& partial = step < 0
                           ? *std::get<BoundSweep>(work).partial
                           : *std::get<BoundPass>(work).partials[static_cast<std::size_t>(step)];
    total.merge(partial);
    partial = {};
    partial.kind = stage.reduction;
  }
  reduce_over_ranks(domain_.communicator(), total);
  stage.target->value = total.value();
  return nullptr;
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& /*bound*/,
                            const ScalarStage& scalar) {
  const auto& stage = schedule_.cycle.instances[static_cast<std::size_t>(scalar.instance)].stage;
  if (numbers_) return stage->is_check ? nullptr : numbers_->compute(stage);
  const Doing call(Activity::call);
  stage->compute(clock_.time);
  return nullptr;
}

SampleMemory& CommandRunner::samples_of(const Samples& samples) {
  return *std::find_if(samples_.begin(), samples_.end(),
                       [&](const SampleMemory& memory) { return &memory.samples() == &samples; });
}

/// Begins a sample with the step and the time that hold at the end of this step.
EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& /*bound*/,
                            const BeginSample& begin) {
  samples_of(*stage(begin.instance).samples).begin(clock_.step + 1, clock_.end_of_step());
  return nullptr;
}

/// Copies values into the record that was begun last.
EventPtr CommandRunner::run(const Command& command, BoundCommand& bound, const Sample& sample) {
  const SampleMemory& memory = samples_of(*stage(sample.instance).samples);
  const auto& slots = schedule_.cycle.instances[static_cast<std::size_t>(sample.instance)].slot;
  std::vector<CopyTask> tasks;
  for (auto& copy : memory.copies(command.patch, memory.taken() - 1)) {
    CopyTask& task = tasks.emplace_back(std::move(copy.task));
    task.source = binder_.component(sample.memory[copy.field], command.patch,
                                    {slots[copy.field], copy.component});
  }
  return bound.executor->copy(tasks, bound.submission);
}

EventPtr CommandRunner::run(const Command& /*command*/, BoundCommand& /*bound*/,
                            const MoveInPlace& move) {
  const Stage& stage = this->stage(move.instance);
  domain_.shift_in_place(move.from, move.to, moves_in_place(stage, in_place_pair(stage)));
  return nullptr;
}

}  // namespace goban
