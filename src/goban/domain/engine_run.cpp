#include <algorithm>
#include <utility>
#include <variant>

#include "goban/backend/reference/reference.hpp"
#include "goban/base/activity.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/engine_block.hpp"

namespace goban {

void Engine::run(Index steps, StepClock& clock) {
  prepare();
  if (reference_) return reference_->run(steps, clock);
  // What runs once, to fill fields, tells nothing.
  if (!std::exchange(has_run_, true) && unbalanced() && steps > 0) {
    run_block(*block_, 1, clock);
    --steps;
  }
  for (Domain* domain = unbalanced(); domain && steps > 0; domain = unbalanced()) {
    Balancing& balancing = domain->balancing();
    const Index some = std::min(steps, balancing.steps(steps_per_exchange()));
    balancing.before(*domain, *this);
    run_block(*block_, some, clock);
    collect_samples();  // before their memory may go
    balancing.after(*domain, some);
    steps -= some;
    prepare();
  }
  run_block(*block_, steps, clock);
  collect_samples();
}

void Engine::collect_samples() {
  visit_segments(*block_, [](Segment& segment) {
    for (SampleMemory& memory : segment.samples) memory.collect(domain_of(*segment.grid));
  });
}

/// A grid whose cuts are still on the move.
Domain* Engine::unbalanced() {
  Domain* found = nullptr;
  visit_segments(*block_, [&](Segment& segment) {
    Domain& domain = domain_of(*segment.grid);
    if (!found && domain.balancing().is_open(domain, *this)) found = &domain;
  });
  return found;
}

bool Engine::is_settled() {
  bool is_open = unbalanced() != nullptr;
  visit_segments(*block_, [&](Segment& segment) { is_open = is_open || segment.choice.is_open(); });
  return !is_open;
}

std::vector<const BalanceReport*> Engine::balance() const {
  std::vector<const BalanceReport*> all;
  visit_segments(*block_, [&](Segment& segment) {
    const BalanceReport* report = &domain_of(*segment.grid).balancing().report();
    const bool is_new = std::find(all.begin(), all.end(), report) == all.end();
    if (!report->outcome.empty() && is_new) all.push_back(report);
  });
  return all;
}

void Engine::synchronize() {
  visit_segments(*block_, [](Segment& segment) { domain_of(*segment.grid).synchronize(); });
}

void Engine::run_block(Block& block, Index steps, StepClock& clock) {
  if (block.straight) {
    auto& segment = std::get<Segment>(block.items.front().what);
    const bool was_open = segment.choice.is_open();
    while (steps > 0 && segment.choice.is_open() && !unbalanced()) {
      steps -= take_turn(segment, steps, clock);
    }
    if (was_open && !segment.choice.is_open()) fit_halos(segment);
    run_straight(segment, steps, clock);
    return;
  }
  for (; steps > 0; --steps) {
    for (auto& item : block.items) {
      StepClock inner = clock;
      if (auto* segment = std::get_if<Segment>(&item.what)) {
        if (segment->grid) {
          run_cycles(*segment, 1, 1, inner);
        } else {
          const Doing call(Activity::call);
          for (const auto& stage : segment->stages) stage->compute(inner.time);
        }
      } else if (auto* loop = std::get_if<Loop>(&item.what)) {
        run_loop(*loop, inner);
      } else {
        const auto& stage = std::get<std::shared_ptr<Stage>>(item.what);
        const Doing call(Activity::call);
        stage->function();
      }
    }
    clock.advance();
  }
}

/// That are recorded: one launch a device for all of them, as short steps would wait for the host.
int Engine::cycles_at_once(const Segment& segment) {
  constexpr int steps = 16;
  return std::max(1, steps / segment.way.steps_per_cycle);
}

/// Cycles as long as chosen and, at the end, a shorter one. What is left of a run is recorded one
/// by one; with samples, of which each goes to another place, by halves of what is left.
void Engine::run_straight(Segment& segment, Index steps, StepClock& clock) {
  const int longest = segment.way.steps_per_cycle;
  while (steps > 0) {
    const int cycle = static_cast<int>(std::min<Index>(steps, longest));
    int together = is_recordable(segment) ? cycles_at_once(segment) : 1;
    while (together > 1 && steps < Index{together} * cycle) {
      together = segment.samples.empty() ? 1 : together / 2;
    }
    run_cycles(segment, cycle, together, clock);
    steps -= Index{cycle} * together;
  }
}

void Engine::run_loop(Loop& loop, StepClock& clock) {
  const Stage& stage = *loop.stage;
  if (stage.kind == Stage::Kind::repeat) {
    run_block(*loop.body, stage.count, clock);
    return;
  }
  for (Index done = 0;; done = std::min(done + stage.count, stage.limit)) {
    StepClock inner = clock;
    run_block(*loop.check, 1, inner);
    if (stage.condition.holds()) return;
    if (done >= stage.limit) throw not_converged(stage, done);
    run_block(*loop.body, std::min(stage.count, stage.limit - done), clock);
  }
}

void Engine::run_cycles(Segment& segment, int steps, int cycles, StepClock& clock) {
  const Doing doing(std::exchange(segment.has_run, true) ? Activity::sweep : Activity::tuning);
  Domain& domain = domain_of(*segment.grid);
  Planned& planned = planned_for(segment, steps);
  Index samples_taken = 0;
  for (SampleMemory& memory : segment.samples) {
    if (memory.make_room(domain, Index{steps} * cycles)) segment.recorded = {};
    samples_taken = memory.taken();
  }
  // Devices have kernels for some lengths alone.
  const bool fits = !domain.some_executor().device_memory() || steps == segment.way.steps_per_pass;
  const int pass = steps > 1 && fits ? segment.way.steps_per_pass : 1;
  const auto next_phase = [&]() -> const std::shared_ptr<Phase>& {
    return planned.phases.find(domain, planned.schedule, segment.slots, pass);
  };
  const auto runner = [&] {
    return CommandRunner(domain, segment.slots, planned.schedule, clock, split_, segment.samples);
  };
  // Those of single cycles would go to ever other places.
  const bool is_odd = samples_taken > 0 && cycles == 1;
  if (is_odd || !is_recordable(segment)) {
    domain.after_replay();
    for (int n = 0; n < cycles; ++n) runner().run(*next_phase());
    return;
  }
  std::vector<double> values{static_cast<double>(samples_taken)};
  const auto computed = computed_parameters(segment.stages);
  for (const auto& stage : segment.stages) {
    for (const auto& argument : stage->arguments) {
      const ParameterRecord* parameter = argument.parameter.get();
      if (parameter && computed.count(parameter) == 0) values.push_back(parameter->value);
    }
  }
  int number = 0;
  segment.recorded.run(
      domain, {steps, segment.way.steps_per_pass, segment.way.overlap, cycles}, values,
      [&](RecordedCycles::Phases& phases) {
        for (int n = 0; n < cycles; ++n) {
          phases.push_back(next_phase());
          CommandRunner run = runner();
          run.number_sweeps(number);
          run.run(*phases.back());
        }
      },
      [&](const RecordedCycles::Phases& phases, Recording& recording) {
        for (const auto& phase : phases) {
          CommandRunner run = runner();
          run.number_sweeps(number);
          run.change(*phase, recording);
        }
      });
}

/// What a cycle submits depends on which cycle it is in numbers alone, and on no result.
bool Engine::is_recordable(const Segment& segment) {
  const Domain& domain = domain_of(*segment.grid);
  if (!domain.can_record()) return false;
  if (domain.has_messages() && !domain.channels().can_be_recorded()) return false;
  if (domain.busy_times().are_kept()) return false;  // recorded work tells no times
  const auto computed = computed_parameters(segment.stages);
  for (const auto& stage : segment.stages) {
    if (stage->kind == Stage::Kind::permute || stage->kind == Stage::Kind::compute) continue;
    if (stage->kind != Stage::Kind::apply && stage->kind != Stage::Kind::sample) return false;
    if (segment.way.steps_per_pass > 1 && changes_with_step(*stage, computed)) return false;
    for (const auto& argument : stage->arguments) {
      if (!argument.field) continue;
      if (argument.field->has_timed_ghosts() || argument.field->in_place) return false;
    }
  }
  return true;
}

}  // namespace goban
