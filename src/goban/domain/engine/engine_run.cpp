#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "goban/backend/reference/reference.hpp"
#include "goban/base/activity.hpp"
#include "goban/base/process/subnormals.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/engine/command_runner.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/kernels_ahead.hpp"

namespace goban {

bool Engine::is_on_paper() const {
  bool is_on_paper = false;
  visit_segments(*block_, [&](const Segment& segment) {
    is_on_paper = is_on_paper || segment.grid->context->settings().on_paper;
  });
  return is_on_paper;
}

bool Engine::flushes_subnormals() const {
  bool flushes = false;
  visit_segments(*block_, [&](const Segment& segment) {
    flushes = flushes || segment.grid->context->settings().subnormals == Subnormals::flush;
  });
  return flushes;
}

void Engine::prepare_run(const StepClock& clock, const std::vector<Index>& runs) {
  if (std::exchange(dt_, clock.dt_parameter) != clock.dt_parameter) {
    distributions_.clear();
    forget_loops();
  }
  if (is_on_paper()) return;
  prepare();
  if (!reference_) compile_all_kernels(runs);
}

void Engine::run(Index steps, StepClock& clock) {
  if (is_on_paper()) return;
  const FlushedSubnormals of_this_thread(flushes_subnormals());
  end_views();
  prepare_run(clock, {steps});
  if (reference_) return reference_->run(steps, clock);
  // What runs once, to fill fields, tells nothing.
  if (!std::exchange(has_run_, true) && unbalanced() && steps > 0) {
    run_steps(1, clock);
    --steps;
  }
  for (Domain* domain = unbalanced(); domain && steps > 0; domain = unbalanced()) {
    Balancing& balancing = domain->balancing();
    const Index some = std::min(steps, balancing.steps(steps_per_exchange()));
    balancing.before(*domain, *this);
    run_steps(some, clock);
    collect_samples();  // before their memory may go
    balancing.after(*domain, some, widest_halo(*domain));
    steps -= some;
    prepare();
  }
  run_steps(steps, clock);
}

void Engine::end_views() {
  visit_segments(*block_, [](Segment& segment) { domain_of(*segment.grid).end_views(); });
}

void Engine::collect_samples() {
  visit_segments(*block_, [](Segment& segment) {
    for (SampleMemory& memory : segment.samples) memory.collect(domain_of(*segment.grid));
  });
}

/// Returns the domain of a grid whose cuts are still being balanced; null if there is none.
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
  collect_samples();
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
        end_views();
      }
    }
    clock.advance();
  }
}

/// Returns how many cycles are recorded together, a power of two: a device starts all of them with
/// one launch, so that short steps do not wait for the host. It is 1 if the host takes results in
/// between, and fewer are recorded if they have many stages.
int Engine::cycles_at_once(const Segment& segment) {
  constexpr std::size_t most_steps = 16, most_stages = 2048;
  const auto steps = static_cast<unsigned>(
      std::min(most_steps, std::max<std::size_t>(1, most_stages / segment.stages.size())));
  const bool has_results =
      std::any_of(segment.stages.begin(), segment.stages.end(),
                  [](const auto& stage) { return stage->kind == Stage::Kind::reduce; });
  const auto cycles = steps / static_cast<unsigned>(segment.plan.steps_per_exchange);
  return has_results ? 1 : static_cast<int>(std::bit_floor(std::max(1u, cycles)));
}

/// Runs cycles of the chosen length and, at the end, a shorter one. It begins with a few cycles at
/// a time, so that devices work while the host submits more.
void Engine::run_straight(Segment& segment, Index steps, StepClock& clock) {
  const int longest = segment.plan.steps_per_exchange;
  Index submitted = 0;
  while (steps > 0) {
    const int cycle = static_cast<int>(std::min<Index>(steps, longest));
    const Index most = is_recordable(segment) ? cycles_at_once(segment) : 1;
    const Index some = std::min(most, std::max<Index>(2, submitted / 2));
    const auto together = std::bit_floor(static_cast<unsigned>(std::min(some, steps / cycle)));
    run_cycles(segment, cycle, static_cast<int>(together), clock);
    submitted += together;
    steps -= Index{cycle} * together;
  }
}

void Engine::run_cycles(Segment& segment, int steps, int cycles, StepClock& clock) {
  const Doing doing(std::exchange(segment.has_run, true) ? Activity::sweep : Activity::tuning);
  const Stopwatch watch(split_.parts[segment.number]);
  Domain& domain = domain_of(*segment.grid);
  Planned& planned = planned_for(segment, steps);
  for (SampleMemory& memory : segment.samples) memory.make_room(domain, Index{steps} * cycles);
  const int pass = steps_of_pass(segment, steps);
  RecordedWork* recorded = nullptr;
  if (is_recordable(segment)) {
    segment.values.clear();
    for (const auto* parameter : segment.settings) {
      const bool is_recorded = planned.phases.recorded_parameters().count(parameter) > 0;
      if (is_recorded) segment.values.push_back(parameter->value);
    }
    recorded = planned.recorded.find(domain, cycles, segment.values);
  }
  if (!recorded) domain.after_replay();
  const bool is_replayed = recorded && recorded->is_complete();
  if (recorded && !is_replayed) ++preparations_;
  const std::size_t known = planned.phases.recorded_parameters().size();
  try {
    for (int n = 0; n < cycles; ++n) {
      if (recorded && !is_replayed) recorded->cycles.emplace_back();
      RecordedWork::Cycle* cycle =
          recorded ? &recorded->cycles[static_cast<std::size_t>(n)] : nullptr;
      const auto phase = is_replayed
                             ? cycle->phase
                             : planned.phases.find(domain, planned.schedule, segment.slots, pass);
      if (!phase->is_compiled) compile_kernels({phase});
      if (!std::exchange(phase->has_run, true)) ++preparations_;
      if (cycle && !is_replayed) *cycle = {phase, std::vector<EventPtr>(phase->events.size())};
      CommandRunner(domain, segment.slots, planned.schedule, clock, split_, segment.samples)
          .run(*phase, cycle ? cycle->events : phase->events, recorded);
    }
    if (recorded) recorded->finish();
    if (is_replayed) cycles_replayed_ += cycles;
    // What was recorded depends on values that nobody looked at.
    const bool is_known = planned.phases.recorded_parameters().size() == known;
    if (recorded && !is_known) planned.recorded.drop(recorded);
  } catch (...) {
    if (recorded) planned.recorded.drop(recorded);
    domain.forget_hazards();
    throw;
  }
}

const char* Engine::recording_refusal(const Segment& segment) {
  const Domain& domain = domain_of(*segment.grid);
  if (!domain.can_record()) {
    return segment.grid->context->timeline() ? "a timeline is drawn" : "some devices do not record";
  }
  if (domain.busy_times().are_kept()) return "cuts between devices are being balanced";
  if (domain.has_messages() && !domain.channels().can_be_recorded()) {
    return "the host takes part in halos between ranks";
  }
  const bool are_short =
      std::any_of(segment.planned.begin(), segment.planned.end(),
                  [](const auto& planned) { return !planned.second.phases.are_worth_recording(); });
  return are_short ? "little is submitted between results that the host takes" : nullptr;
}

}  // namespace goban
