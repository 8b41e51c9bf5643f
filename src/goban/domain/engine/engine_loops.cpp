#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>
#include <variant>

#include "goban/base/activity.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/engine/command_runner.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/kernels_ahead.hpp"

namespace goban {
namespace {

/// Between two times that the host looks whether all is well.
constexpr Index most_rounds_at_once = 4096;
constexpr double most_seconds_at_once = 0.2;
/// Rounds of more commands wait for the host once in a while without anyone noticing.
constexpr Index most_commands = 2048;
/// Bodies of loops: a device takes microseconds from the end of one to the next. More than that
/// they do not hold, unless a round does.
constexpr Index most_rounds_in_body = 16, most_commands_in_body = 512, least_rounds = 512;
/// Loops whose settings never stay are not worth remembering.
constexpr std::size_t most_recorded = 8;
/// Nor are names that are never bound as before.
constexpr std::size_t most_ends = 64;

Index steps_of_round(const Stage& loop) { return loop.kind == Stage::Kind::until ? loop.count : 1; }

void add_scalars(const std::vector<std::shared_ptr<Stage>>& stages,
                 std::vector<std::shared_ptr<const Stage>>& scalars) {
  std::copy_if(stages.begin(), stages.end(), std::back_inserter(scalars),
               [](const auto& one) { return one->kind == Stage::Kind::compute; });
}

bool has_results(const std::vector<std::shared_ptr<Stage>>& stages) {
  return std::any_of(stages.begin(), stages.end(), [](const auto& stage) {
    return stage->kind == Stage::Kind::reduce || stage->kind == Stage::Kind::compute;
  });
}

}  // namespace

/// The segments of a round, the body first; none if there is more to it.
std::vector<Engine::Segment*> Engine::segments_of_round(const Loop& loop) {
  std::vector<Segment*> all;
  for (Block* const block : {loop.body.get(), loop.check.get()}) {
    if (!block || block->items.empty()) continue;
    auto* const segment = std::get_if<Segment>(&block->items.front().what);
    const bool is_one = block->items.size() == 1 && segment;
    if (!is_one || (block == loop.body.get() && !block->straight)) return {};
    all.push_back(segment);
  }
  return all;
}

/// Without a condition, cycles of several steps are worth more than a host that need not look.
bool Engine::suits_device(const Loop& loop, const std::vector<Segment*>& segments) {
  if (segments.empty() || loop.stage->kind == Stage::Kind::until) return !segments.empty();
  return segments.front()->plan.steps_per_exchange == 1 && has_results(segments.front()->stages);
}

std::string Engine::device_refusal(const Loop& loop) const {
  const auto segments = segments_of_round(loop);
  if (segments.empty()) return "a round is more than one run of stages";
  Domain& domain = domain_of(*segments.front()->grid);
  const auto executors = domain.executors();
  if (executors.size() != 1 || domain.communicator().size() != 1) {
    return "several devices take part";
  }
  if (!executors.front()->loops()) return "its driver and NVRTC have no loops";
  if (segments.front()->grid->context->timeline()) return "a timeline is drawn";
  if (!domain.can_record()) return "the device does not record";
  if (domain.busy_times().are_kept()) return "cuts between devices are being balanced";
  std::set<const ParameterRecord*> computed;
  for (const Segment* segment : segments) {
    if (segment->grid && segment->grid->root != segments.front()->grid->root) {
      return "its check is on other grids";
    }
    for (const auto& stage : segment->written) {
      if (std::string why = device_loop_refusal(*stage); !why.empty()) return why;
    }
    computed.merge(computed_parameters(segment->written));
  }
  return computed.count(dt_.get()) > 0 ? "it computes the time step" : "";
}

void Engine::forget_loops() {
  if (steps_) steps_->forget_recorded();
  visit_items(*block_, [](auto& what) {
    if (auto* const loop = std::get_if<Loop>(&what)) loop->forget_recorded();
  });
}

/// All steps of a run, where a step is one run of stages with results.
void Engine::make_steps() {
  if (!block_->straight) return;
  if (!has_results(std::get<Segment>(block_->items.front().what).stages)) return;
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

/// Of a cycle of so many steps.
int Engine::steps_of_pass(const Segment& segment, int steps) {
  const Domain& domain = domain_of(*segment.grid);
  const TemporalBlocking* const blocking = domain.some_executor().temporal_blocking();
  const bool fits =
      blocking && (blocking->takes_any_length() || steps == segment.plan.steps_per_pass);
  return steps > 1 && fits ? segment.plan.steps_per_pass : 1;
}

/// Those that a device keeps in its memory while it repeats a loop over these segments.
std::set<std::shared_ptr<ParameterRecord>> Engine::numbers_of(
    const std::vector<Segment*>& segments) const {
  std::set<std::shared_ptr<ParameterRecord>> numbers;
  for (const Segment* segment : segments) {
    for (const auto& part : segment->written) {
      numbers.insert(part->parameters.begin(), part->parameters.end());
      if (part->target) numbers.insert(part->target);
      for (const auto& argument : part->arguments) {
        if (computed_.count(argument.parameter.get()) > 0) numbers.insert(argument.parameter);
      }
    }
  }
  return numbers;
}

/// What a device needs to repeat a loop, with the lists that are there.
void Engine::compile_loop(const Loop& loop) {
  const auto segments = segments_of_round(loop);
  if (!suits_device(loop, segments) || !device_refusal(loop).empty()) return;
  Domain& domain = domain_of(*segments.front()->grid);
  const DeviceNumbers numbers(domain.some_executor(), numbers_of(segments));
  std::vector<std::shared_ptr<Phase>> phases;
  std::vector<std::shared_ptr<const Stage>> scalars;
  for (Segment* const segment : segments) {
    if (segment->choice.is_open()) return;
    add_scalars(segment->stages, scalars);
    if (!segment->grid) continue;
    const Index steps = segment == segments.front() ? steps_of_round(*loop.stage) : 1;
    Planned& planned = planned_for(
        *segment, static_cast<int>(std::min<Index>(steps, segment->plan.steps_per_exchange)));
    for (const auto& phase : planned.phases.all()) {
      if (!device_loop_refusal(phase->list, planned.schedule.cycle, numbers).empty()) return;
      phases.push_back(phase);
    }
  }
  compile_kernels(phases, numbers, scalars, domain.some_executor());
}

/// The commands of a cycle, with the numbers in the device's memory.
void Engine::record_cycle(Segment& segment, int steps, StepClock& clock, DeviceLoop& loop) {
  Domain& domain = domain_of(*segment.grid);
  Planned& planned = planned_for(segment, steps);
  const auto& phase = loop.phases.emplace_back(
      planned.phases.find(domain, planned.schedule, segment.slots, steps_of_pass(segment, steps)));
  auto& events = loop.events.emplace_back(phase->events.size());
  CommandRunner(domain, segment.slots, planned.schedule, clock, split_, segment.samples,
                loop.numbers.get())
      .run(*phase, events);
}

/// The loop as it is from this state of the domain on, to which so many rounds return; a body holds
/// them `times` times, less often if that is many commands. Null: it cannot be, for Loop::refusal.
std::unique_ptr<DeviceLoop> Engine::record_loop(Loop& loop, int rounds, Index times,
                                                std::vector<double> settings, StepClock clock) {
  const Stage& stage = *loop.stage;
  const auto segments = segments_of_round(loop);
  Segment& body = *segments.front();
  Domain& domain = domain_of(*body.grid);
  auto made = std::make_unique<DeviceLoop>();
  made->settings = std::move(settings);
  made->state = domain.state_number();
  made->numbers = std::make_unique<DeviceNumbers>(domain.some_executor(), numbers_of(segments));
  domain.synchronize();
  domain.forget_hazards();
  const Index steps_of_body = rounds * steps_of_round(stage);
  const auto longest = [&](const Segment& segment, Index steps) {
    return static_cast<int>(std::min<Index>(steps, segment.plan.steps_per_exchange));
  };
  Index commands = 0;
  std::vector<std::shared_ptr<Phase>> phases;
  std::vector<std::shared_ptr<const Stage>> scalars;
  for (Segment* const segment : segments) {
    add_scalars(segment->stages, scalars);
    if (!segment->grid) continue;
    const int steps = longest(*segment, segment == &body ? steps_of_body : 1);
    Planned& planned = planned_for(*segment, steps);
    phases.push_back(planned.phases.find(domain, planned.schedule, segment->slots,
                                         steps_of_pass(*segment, steps)));
    const auto& list = phases.back()->list;
    loop.refusal = device_loop_refusal(list, planned.schedule.cycle, *made->numbers);
    if (!loop.refusal.empty()) return nullptr;
    commands += std::ssize(list.commands) * (steps_of_body / steps + 1);
  }
  if (commands > most_commands) {
    loop.refusal = "a round is many commands";
    return nullptr;
  }
  const Index fit = std::max<Index>(1, most_commands_in_body / commands);
  made->is_full = fit <= times;
  times = std::min(fit, times);
  made->rounds = rounds * static_cast<int>(times);
  compile_kernels(phases, *made->numbers, scalars, domain.some_executor());
  DeviceLoops& loops = *domain.some_executor().loops();
  const auto end = [&] {
    const Condition& until = stage.condition;
    const bool has_condition = stage.kind == Stage::Kind::until;
    return loops.end_loop({has_condition ? made->numbers->find(until.parameter.get()) : nullptr,
                           until.less, until.bound, made->numbers->rounds(),
                           made->numbers->most_rounds()});
  };
  loops.begin_loop();
  try {
    for (Index n = 0; n < times; ++n) {
      for (Segment* const segment : segments) {
        for (Index left = segment == &body ? steps_of_body : 1; segment->grid && left > 0;) {
          const int steps = longest(*segment, left);
          record_cycle(*segment, steps, clock, *made);
          left -= steps;
        }
        for (const auto& scalar : segment->stages) {
          if (!segment->grid) made->numbers->compute(scalar);
        }
      }
    }
  } catch (...) {
    end();
    throw;
  }
  made->recording = end();
  domain.forget_hazards();
  require(domain.state_number() == made->state, "a round of a loop has not ended as it began");
  return made;
}

/// Rounds of the loop, `most` of them if its condition does not hold before; returns how many. 0:
/// it is the host's turn.
Index Engine::repeat_on_device(Loop& loop, Index most, StepClock& clock) {
  if (most < 1 || !loop.refusal.empty()) return 0;
  if (!device_refusal(loop).empty()) return 0;
  const auto segments = segments_of_round(loop);
  Domain& domain = domain_of(*segments.front()->grid);
  std::vector<double> settings;
  for (const Segment* segment : segments) {
    if (segment->choice.is_open()) return 0;
    for (const auto& stage : segment->written) {
      for (const auto& argument : stage->arguments) {
        const ParameterRecord* const parameter = argument.parameter.get();
        if (parameter && computed_.count(parameter) == 0) settings.push_back(parameter->value);
      }
    }
  }
  const int state = domain.state_number();
  const auto same_bits = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  // Rounds whose condition nobody looks at are in one body as many as may be, once a loop has had
  // so many that it pays to record them.
  const bool may_share = loop.stage->kind != Stage::Kind::until && loop.on_device >= least_rounds;
  const Index wanted = may_share ? std::min(most, most_rounds_in_body) : 1;
  auto at = loop.recorded.end();
  for (auto one = loop.recorded.begin(); one != loop.recorded.end(); ++one) {
    const bool is_same =
        (*one)->state == state && std::ranges::equal((*one)->settings, settings, same_bits);
    if (!is_same || (*one)->rounds > most) continue;
    if (at == loop.recorded.end() || (*at)->rounds < (*one)->rounds) at = one;
  }
  const bool is_short = at != loop.recorded.end() && 2 * (*at)->rounds < wanted && !(*at)->is_full;
  try {
    if (at == loop.recorded.end() || is_short) {
      // Names that swap are bound again after two rounds, between which no condition is looked at.
      const auto next = loop.ends.find(state);
      if (next == loop.ends.end()) return 0;
      const bool is_same = next->second == state;
      if (!is_same) {
        const auto last = loop.ends.find(next->second);
        const bool comes_back = last != loop.ends.end() && last->second == state;
        if (!comes_back) return 0;
        if (loop.stage->kind == Stage::Kind::until) {
          loop.refusal = "names swap in an odd number of steps";
          return 0;
        }
      }
      const int rounds = is_same ? 1 : 2;
      if (most < rounds) return 0;
      auto made = record_loop(loop, rounds, std::max<Index>(1, wanted / rounds),
                              std::move(settings), clock);
      if (!made) return 0;
      if (loop.recorded.size() == most_recorded) loop.recorded.erase(loop.recorded.begin());
      at = loop.recorded.insert(loop.recorded.end(), std::move(made));
    }
    const Stopwatch watch(split_.compute);
    const Doing doing(Activity::sweep);
    DeviceLoop& found = **at;
    domain.synchronize();
    domain.forget_hazards();
    const Index at_once =
        std::min(most, std::max<Index>(found.at_once, found.rounds)) / found.rounds;
    found.numbers->upload(at_once);
    note_progress();
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    found.recording->replay();
    domain.synchronize();
    const Index rounds = found.rounds * found.numbers->download();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (rounds >= found.at_once && 2 * seconds < most_seconds_at_once) {
      found.at_once = std::min(2 * found.at_once, most_rounds_at_once);
    }
    for (Index n = 0; n < rounds * steps_of_round(*loop.stage); ++n) clock.advance();
    loop.on_device += rounds;
    cycles_replayed_ += rounds / found.rounds * std::ssize(found.phases);
    return rounds;
  } catch (...) {
    loop.recorded.clear();
    domain.forget_hazards();
    throw;
  }
}

/// A loop without a condition.
void Engine::run_repeated(Loop& loop, Index rounds, StepClock& clock) {
  const auto segments = segments_of_round(loop);
  const bool has_numbers = suits_device(loop, segments);
  while (rounds > 0) {
    Index done = has_numbers ? repeat_on_device(loop, rounds, clock) : 0;
    if (done == 0) {
      const bool may_come = has_numbers && !segments.front()->choice.is_open() &&
                            loop.refusal.empty() && device_refusal(loop).empty();
      done = may_come ? 1 : rounds;
      const int before = may_come ? domain_of(*segments.front()->grid).state_number() : -1;
      run_block(*loop.body, done, clock);
      if (loop.ends.size() == most_ends) loop.ends.clear();
      if (may_come) loop.ends[before] = domain_of(*segments.front()->grid).state_number();
    }
    rounds -= done;
  }
}

/// Rounds until the condition holds.
Index Engine::run_until(Loop& loop, StepClock& clock) {
  const Stage& stage = *loop.stage;
  Domain* const domain = loop.body->straight
                             ? &domain_of(*std::get<Segment>(loop.body->items.front().what).grid)
                             : nullptr;
  int before = -1;
  for (Index done = 0;;) {
    StepClock inner = clock;
    run_block(*loop.check, 1, inner);
    if (loop.ends.size() == most_ends) loop.ends.clear();
    if (before >= 0) loop.ends[before] = domain->state_number();
    Index rounds = 1;
    while (rounds > 0) {
      if (stage.condition.holds()) return (done + stage.count - 1) / stage.count;
      if (done >= stage.limit) throw not_converged(stage, done);
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
