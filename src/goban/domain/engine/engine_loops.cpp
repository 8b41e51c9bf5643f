#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "goban/backend/gpu_backend.hpp"
#include "goban/base/activity.hpp"
#include "goban/base/same_bits.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/engine/command_runner.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/kernels_ahead.hpp"

namespace goban {
namespace {

/// A device repeats at most this many rounds, for about this many seconds, before the host looks
/// again whether all is well.
constexpr Index most_rounds_at_once = 4096;
constexpr double most_seconds_at_once = 0.2;
/// The body of a recorded loop holds several rounds, because a device needs microseconds to go from
/// one body to the next. It holds at most this many rounds, and more than one only once a loop has
/// run the least number.
constexpr Index most_rounds_in_body = 16, least_rounds = 512;
/// The number of recordings of a loop that are kept; more would only be needed if parameters kept
/// changing.
constexpr std::size_t most_recorded = 8;
/// The number of states of the domain that are remembered for a loop.
constexpr std::size_t most_ends = 64;

bool has_results(const std::vector<std::shared_ptr<Stage>>& stages) {
  return std::any_of(stages.begin(), stages.end(), [](const auto& stage) {
    return stage->kind == Stage::Kind::reduce || stage->kind == Stage::Kind::compute;
  });
}

}  // namespace

/// Returns the segments of a round, including those of loops within it; none if a host call is
/// among them.
std::vector<Engine::Segment*> Engine::segments_of_round(const Loop& loop) {
  std::vector<Segment*> all;
  bool has_calls = false;
  const auto add = [&](auto& what) {
    if (auto* const segment = std::get_if<Segment>(&what)) all.push_back(segment);
    has_calls = has_calls || std::holds_alternative<std::shared_ptr<Stage>>(what);
  };
  for (Block* const block : {loop.body.get(), loop.check.get()}) {
    if (block) visit_items(*block, add);
  }
  const bool has_grid = !all.empty() && all.front()->grid;
  return has_calls || !has_grid ? std::vector<Segment*>{} : all;
}

/// Returns the loops within a loop in the order in which a round comes to them.
std::vector<Engine::Loop*> Engine::loops_within(const Loop& loop) {
  std::vector<Loop*> all;
  for (Block* const block : {loop.body.get(), loop.check.get()}) {
    if (!block) continue;
    visit_items(*block, [&](auto& what) {
      if (auto* const inner = std::get_if<Loop>(&what)) all.push_back(inner);
    });
  }
  return all;
}

/// Returns whether it pays to let a device repeat the loop. For loops without a condition, cycles
/// of several steps gain more than a host that need not take part.
bool Engine::suits_device(const Loop& loop, const std::vector<Segment*>& segments) {
  if (segments.empty()) return false;
  if (loop.stage->kind == Stage::Kind::until || !loop.body->straight) return true;
  return segments.front()->plan.steps_per_exchange == 1 && has_results(segments.front()->stages);
}

/// Returns why the stages of a loop need the host on any device; empty if they do not.
std::string Engine::refusal_of_stages(const Loop& loop) const {
  const auto segments = segments_of_round(loop);
  if (segments.empty()) return "the host has a part in a round";
  for (const Loop* inner : loops_within(loop)) {
    const Stage& stage = *inner->stage;
    if (stage.kind == Stage::Kind::until && stage.limit % stage.count != 0) {
      return "the limit of '" + stage.name + "' is no whole number of its rounds";
    }
  }
  for (const Segment* segment : segments) {
    if (segment->grid && segment->grid->root != segments.front()->grid->root) {
      return "a part of it is on other grids";
    }
    for (const auto& stage : segment->written) {
      if (std::string why = device_loop_refusal(*stage); !why.empty()) return why;
    }
  }
  return &loop != steps_.get() && sets_time_step(segments) ? "it computes the time step" : "";
}

bool Engine::sets_time_step(const std::vector<Segment*>& segments) const {
  const auto sets = [&](const Stage& stage) {
    for (std::size_t n = 0; n < stage.parameters.size(); ++n) {
      const bool is_written = stage.parameter_access[n] != Access::in;
      if (is_written && stage.parameters[n] == dt_) return true;
    }
    return stage.target && stage.target == dt_;
  };
  return dt_ && std::any_of(segments.begin(), segments.end(), [&](const Segment* segment) {
           return std::any_of(segment->written.begin(), segment->written.end(),
                              [&](const auto& stage) { return sets(*stage); });
         });
}

std::string Engine::device_refusal(Loop& loop) const {
  if (!loop.refusal_of_stages) loop.refusal_of_stages = refusal_of_stages(loop);
  if (!loop.refusal_of_stages->empty()) return *loop.refusal_of_stages;
  const auto segments = segments_of_round(loop);
  Domain& domain = domain_of(*segments.front()->grid);
  const auto executors = domain.executors();
  if (executors.size() != 1 || domain.communicator().size() != 1) {
    return "several devices take part";
  }
  if (!executors.front()->loops()) return "its driver and NVRTC have no loops";
  if (segments.front()->grid->context->timeline()) return "a timeline is drawn";
  if (!domain.can_record()) return "the device does not record";
  return domain.busy_times().are_kept() ? "cuts between devices are being balanced" : "";
}

void Engine::forget_loops() {
  if (steps_) steps_->forget_recorded();
  visit_items(*block_, [](auto& what) {
    if (auto* const loop = std::get_if<Loop>(&what)) loop->forget_recorded();
  });
}

/// Makes `steps_`, the loop over all steps of a run, if a step has results that the host would
/// otherwise take.
void Engine::make_steps() {
  if (block_->items.empty()) return;
  if (block_->straight && !has_results(std::get<Segment>(block_->items.front().what).stages))
    return;
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::repeat;
  stage->name = program_.name();
  stage->body = std::make_shared<const Program>(program_);
  steps_ = std::make_unique<Loop>();
  steps_->stage = std::move(stage);
  steps_->body = block_;
}

void Engine::run_steps(Index steps, StepClock& clock) {
  if (steps_) return run_repeated(*steps_, steps, clock);
  run_block(*block_, steps, clock);
}

/// Returns the steps per pass in a cycle of this number of steps.
int Engine::steps_of_pass(const Segment& segment, int steps) {
  const Domain& domain = domain_of(*segment.grid);
  const TemporalBlocking* const blocking = domain.some_executor().temporal_blocking();
  const bool fits =
      blocking && (blocking->takes_any_length() || steps == segment.plan.steps_per_pass);
  return steps > 1 && fits ? segment.plan.steps_per_pass : 1;
}

/// Returns the values of the parameters that sweeps read and no stage computes.
std::vector<double> Engine::values_read_by(const std::vector<Segment*>& segments) const {
  std::vector<double> settings;
  for (const Segment* segment : segments) {
    for (const auto& stage : segment->written) {
      for (const auto& argument : stage->arguments) {
        const ParameterRecord* const parameter = argument.parameter.get();
        if (parameter && computed_.count(parameter) == 0) settings.push_back(parameter->value);
      }
    }
  }
  return settings;
}

/// Returns the recording of a loop for the present state of the domain, and makes it if necessary.
/// Returns null if the host has to run the next round.
DeviceLoop* Engine::recorded_loop(Loop& loop, Index most, const StepClock& clock) {
  const auto segments = segments_of_round(loop);
  std::vector<double> settings = values_read_by(segments);
  const bool is_until = loop.stage->kind == Stage::Kind::until;
  const int state = domain_of(*segments.front()->grid).state_number();
  // Rounds whose condition nobody looks at are in one body as many as may be, once a loop has had
  // so many that it pays to record them.
  const bool may_share = !is_until && loop.on_device >= least_rounds;
  const Index wanted = may_share ? std::min(most, most_rounds_in_body) : 1;
  auto at = loop.recorded.end();
  for (auto one = loop.recorded.begin(); one != loop.recorded.end(); ++one) {
    const bool is_same =
        (*one)->state == state && std::ranges::equal((*one)->settings, settings, same_bits);
    if (!is_same || (*one)->rounds > most) continue;
    const bool is_better = at == loop.recorded.end() || (*at)->moves ||
                           (!(*one)->moves && (*at)->rounds < (*one)->rounds);
    if (is_better) at = one;
  }
  const bool is_there = at != loop.recorded.end();
  if (is_there && !(*at)->moves && ((*at)->is_full || 2 * (*at)->rounds >= wanted))
    return at->get();
  if (is_there && (*at)->moves && most == 1) return at->get();
  // Names that swap are bound again after two rounds, between which no condition is looked at.
  const auto next = loop.ends.find(state);
  if (next == loop.ends.end()) return is_there ? at->get() : nullptr;
  int rounds = 1;
  bool moves = false;
  if (next->second != state) {
    const auto last = loop.ends.find(next->second);
    const bool comes_back = last != loop.ends.end() && last->second == state;
    if (is_until) {
      if (comes_back) loop.refusal = "names swap in an odd number of steps";
      return nullptr;
    }
    rounds = 2;
    if (&loop == steps_.get() && most == 1) {
      rounds = 1;
      moves = true;
    } else if (!comes_back || most < 2) {
      return is_there ? at->get() : nullptr;
    }
  }
  auto made = record_loop(loop, rounds, moves ? 1 : std::max<Index>(1, wanted / rounds), moves,
                          std::move(settings), clock);
  if (!made) return nullptr;
  ++preparations_;
  if (loop.recorded.size() == most_recorded) loop.recorded.erase(loop.recorded.begin());
  return loop.recorded.emplace_back(std::move(made)).get();
}

/// Lets a device run rounds of the loop, at most `most`, until its condition holds. Returns their
/// number; 0 means that the host has to run the next round.
Index Engine::repeat_on_device(Loop& loop, Index most, StepClock& clock) {
  if (most < 1 || !loop.refusal.empty() || !device_refusal(loop).empty()) return 0;
  const auto segments = segments_of_round(loop);
  const auto is_open = [](const Segment* segment) { return segment->choice.is_open(); };
  if (std::any_of(segments.begin(), segments.end(), is_open)) return 0;
  // The clock has to be told of every time step.
  if (sets_time_step(segments)) most = 1;
  Domain& domain = domain_of(*segments.front()->grid);
  try {
    DeviceLoop* const found = recorded_loop(loop, most, clock);
    if (!found) return 0;
    const Stopwatch watch(split_.compute);
    const Doing doing(Activity::sweep);
    domain.synchronize();
    domain.forget_hazards();
    const Index at_once =
        found->moves ? 1 : std::min(most, std::max<Index>(found->at_once, found->rounds));
    const Index bodies = at_once / found->rounds;
    found->numbers->upload(bodies);
    note_progress();
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (Index n = 0; n < (found->has_end ? 1 : bodies); ++n) found->recording->replay();
    const Index counted = found->numbers->download();
    domain.synchronize();
    const Index rounds = found->rounds * (found->has_end ? counted : bodies);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (rounds >= found->at_once && 2 * seconds < most_seconds_at_once) {
      found->at_once = std::min(2 * found->at_once, most_rounds_at_once);
    }
    for (const auto& phase : found->phases) {
      if (found->moves) phase->finish(domain, phase->events);
    }
    domain.forget_hazards();
    // Where a loop within has missed its end, rounds before that have been done.
    const bool has_missed = found->numbers->missed() != nullptr;
    const Index entered = has_missed ? found->numbers->entered(found->first_within) - 1 : 0;
    const Index done = has_missed ? entered / found->entries : rounds;
    for (Index n = 0; n < done * loop.steps_of_round(); ++n) clock.advance();
    see_results(loop, *found->numbers);
    loop.on_device += rounds;
    cycles_replayed_ += rounds / found->rounds * std::ssize(found->phases);
    return rounds;
  } catch (...) {
    loop.recorded.clear();
    domain.forget_hazards();
    throw;
  }
}

/// Does what the host would have done had it taken part: counts rounds, and throws if a loop has
/// missed its condition or a check fails.
void Engine::see_results(Loop& loop, const DeviceNumbers& numbers) {
  const auto within = loops_within(loop);
  for (std::size_t n = 0; n < within.size(); ++n) {
    Loop& inner = *within[n];
    if (inner.stage->kind == Stage::Kind::until) {
      inner.rounds += numbers.rounds_within(n);
      inner.entered += numbers.entered(n);
    }
    inner.on_device += numbers.rounds_within(n);
  }
  if (const Stage* stage = numbers.missed()) throw not_converged(*stage, numbers.steps_of_missed());
  for (const Segment* segment : segments_of_round(loop)) {
    for (const auto& stage : segment->stages) {
      if (stage->is_check) stage->function();
    }
  }
}

/// Runs a loop without a condition.
void Engine::run_repeated(Loop& loop, Index rounds, StepClock& clock) {
  const auto segments = segments_of_round(loop);
  const bool has_numbers = suits_device(loop, segments);
  while (rounds > 0) {
    Index done = has_numbers ? repeat_on_device(loop, rounds, clock) : 0;
    if (done == 0) {
      // One by one where the device may take over, or while parts of a round are being tried.
      const bool is_straight = loop.body->straight;
      const bool may_come = has_numbers && loop.refusal.empty() && device_refusal(loop).empty() &&
                            !(is_straight && segments.front()->choice.is_open());
      done = may_come ? 1 : rounds;
      const int before = may_come ? domain_of(*segments.front()->grid).state_number() : -1;
      run_block(*loop.body, done, clock);
      if (loop.ends.size() == most_ends) loop.ends.clear();
      if (may_come) loop.ends[before] = domain_of(*segments.front()->grid).state_number();
    }
    rounds -= done;
  }
}

/// Runs rounds until the condition holds and returns their number.
Index Engine::run_until(Loop& loop, StepClock& clock) {
  const Stage& stage = *loop.stage;
  const auto segments = segments_of_round(loop);
  Domain* const domain = segments.empty() ? nullptr : &domain_of(*segments.front()->grid);
  int before = -1;
  for (Index done = 0;;) {
    StepClock inner = clock;
    run_block(*loop.check, 1, inner);
    if (loop.ends.size() == most_ends) loop.ends.clear();
    if (before >= 0) loop.ends[before] = domain->state_number();
    Index rounds = 1;
    while (rounds > 0) {
      const bool is_rehearsed = stage.condition.is_lost() && are_gpus_rehearsed();
      if (stage.condition.holds() || is_rehearsed) return (done + stage.count - 1) / stage.count;
      if (done >= stage.limit || stage.condition.is_lost()) throw not_converged(stage, done);
      rounds = repeat_on_device(loop, (stage.limit - done) / stage.count, clock);
      done += rounds * stage.count;
    }
    const Index steps = std::min(stage.count, stage.limit - done);
    before = domain && steps == stage.count ? domain->state_number() : -1;
    run_block(*loop.body, steps, clock);
    done += steps;
  }
}

void Engine::run_loop(Loop& loop, StepClock& clock) {
  if (loop.stage->kind == Stage::Kind::repeat) return run_repeated(loop, loop.stage->count, clock);
  const double before = split_.solver;  // loops within this one are part of it
  double seconds = 0;
  {
    const Stopwatch watch(seconds);
    loop.rounds += run_until(loop, clock);
    ++loop.entered;
  }
  split_.solver = before + seconds;
}

}  // namespace goban
