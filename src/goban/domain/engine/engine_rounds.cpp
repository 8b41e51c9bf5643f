// Records what a device does in a round of a loop, including loops within it.

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "goban/domain/engine/command_runner.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/kernels_ahead.hpp"

namespace goban {
namespace {

/// A round with more commands than this is left to the host, whose part is then negligible.
constexpr Index most_commands = 2048;
/// The number of commands at which a body takes no further rounds; see most_rounds_in_body.
constexpr Index most_commands_in_body = 512;
/// Repeats of at most this many rounds are written out in the body of the enclosing loop.
constexpr Index most_rounds_written_out = 8;

void add_scalars(const std::vector<std::shared_ptr<Stage>>& stages,
                 std::vector<std::shared_ptr<const Stage>>& scalars) {
  std::copy_if(stages.begin(), stages.end(), std::back_inserter(scalars),
               [](const auto& one) { return one->kind == Stage::Kind::compute && !one->is_check; });
}

std::vector<const Stage*> stages_of(const auto& loops) {
  std::vector<const Stage*> stages;
  for (const auto* loop : loops) stages.push_back(loop->stage.get());
  return stages;
}

}  // namespace

/// A walk through the rounds of a loop that follows the changes of the domain's state. The first
/// walk finds out whether rounds can be recorded; the second takes place while a device records.
struct Engine::RoundWalk {
  Domain& domain;
  StepClock clock;
  const std::vector<Loop*> within;
  DeviceLoop& made;
  bool is_recording = false;
  int depth = 0;  ///< how many inner loops the walk is within
  std::vector<std::shared_ptr<Phase>> phases = {};
  Index commands = 0;
  std::string refusal = {};
  bool is_early = false;                  ///< it needs memory that is not allocated yet
  std::vector<std::size_t> entered = {};  ///< numbers of the inner loops that it comes to, in order
};

/// Returns the parameters that a device keeps in its memory while it repeats a loop over these
/// segments.
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

/// Compiles the kernels with which a device repeats a loop, for the command lists made so far.
void Engine::compile_loop(Loop& loop) {
  const auto segments = segments_of_round(loop);
  if (!suits_device(loop, segments) || !device_refusal(loop).empty()) return;
  Domain& domain = domain_of(*segments.front()->grid);
  const DeviceNumbers numbers(domain.some_executor(), numbers_of(segments),
                              stages_of(loops_within(loop)));
  std::vector<std::shared_ptr<Phase>> phases;
  std::vector<std::shared_ptr<const Stage>> scalars;
  for (Segment* const segment : segments) {
    if (segment->choice.is_open()) return;
    add_scalars(segment->stages, scalars);
    if (!segment->grid) continue;
    for (const auto& [key, planned] : segment->planned) {
      const auto& [steps, pass, overlap] = key;
      const StepPlan& plan = segment->plan;
      if (pass != plan.steps_per_pass || overlap != plan.overlap) continue;  // it lost
      for (const auto& phase : planned.phases.all()) {
        if (!device_loop_refusal(phase->list, planned.schedule.cycle, numbers).empty()) return;
        phases.push_back(phase);
      }
    }
  }
  compile_kernels(phases);
  compile_kernels(scalars, numbers, domain.some_executor());
}

void Engine::walk_block(Block& block, Index steps, RoundWalk& walk) {
  if (block.straight) return walk_segment(std::get<Segment>(block.items.front().what), steps, walk);
  for (; steps > 0; --steps) {
    for (auto& item : block.items) {
      if (auto* const segment = std::get_if<Segment>(&item.what)) {
        walk_segment(*segment, 1, walk);
      } else {
        walk_loop(std::get<Loop>(item.what), walk);
      }
    }
  }
}

void Engine::walk_segment(Segment& segment, Index steps, RoundWalk& walk) {
  const bool goes_on = walk.refusal.empty() && !walk.is_early;
  if (!segment.grid) {
    for (const auto& scalar : segment.stages) {
      if (walk.is_recording && !scalar->is_check) walk.made.numbers->compute(scalar);
    }
    return;
  }
  for (Index left = steps; goes_on && left > 0;) {
    const auto some = static_cast<int>(std::min<Index>(left, segment.plan.steps_per_exchange));
    Planned& planned = planned_for(segment, some);
    const int pass = steps_of_pass(segment, some);
    const auto phase =
        planned.phases.find_ahead(walk.domain, planned.schedule, segment.slots, pass);
    if (!phase) {
      walk.is_early = true;
      return;
    }
    if (walk.is_recording) {
      auto& events = walk.made.events.emplace_back(phase->events.size());
      CommandRunner(walk.domain, segment.slots, planned.schedule, walk.clock, split_,
                    segment.samples, walk.made.numbers.get())
          .run(*phase, events);
      if (walk.depth == 0) walk.made.phases.push_back(phase);
    } else {
      walk.refusal = device_loop_refusal(phase->list, planned.schedule.cycle, *walk.made.numbers);
      walk.phases.push_back(phase);
      walk.commands += std::ssize(phase->list.commands);
      phase->finish(walk.domain, std::vector<EventPtr>(phase->events.size()));
    }
    left -= some;
  }
}

/// Walks through an inner loop, whose condition is tested before its first round, too.
void Engine::walk_loop(Loop& loop, RoundWalk& walk) {
  const Stage& stage = *loop.stage;
  const bool is_until = stage.kind == Stage::Kind::until;
  if (!is_until && stage.count <= most_rounds_written_out) {
    return walk_block(*loop.body, stage.count, walk);
  }
  if (loop.check) walk_block(*loop.check, 1, walk);
  DeviceLoops& loops = *walk.domain.some_executor().loops();
  const auto number =
      std::find(walk.within.begin(), walk.within.end(), &loop) - walk.within.begin();
  walk.domain.forget_hazards();
  const int before = walk.domain.state_number();
  if (walk.depth++ == 0) walk.entered.push_back(static_cast<std::size_t>(number));
  if (walk.is_recording) {
    const LoopEnd end = walk.made.numbers->end_within(static_cast<std::size_t>(number));
    loops.begin_loop(&end);
  }
  walk_block(*loop.body, is_until ? stage.count : 1, walk);
  if (loop.check) walk_block(*loop.check, 1, walk);
  if (walk.is_recording) loops.end_loop();
  --walk.depth;
  walk.domain.forget_hazards();
  if (walk.refusal.empty() && !walk.is_early && walk.domain.state_number() != before) {
    walk.refusal = "a round of '" + stage.name + "' does not end as it began";
  }
}

void Engine::walk_rounds(Loop& loop, int rounds, RoundWalk& walk) {
  walk_block(*loop.body, rounds * loop.steps_of_round(), walk);
  if (loop.check) walk_block(*loop.check, 1, walk);
}

/// Records a loop that starts in the present state of the domain, to which `rounds` rounds return
/// unless it `moves`. A body holds these rounds `times` times, or less often if that makes too many
/// commands. Returns null if the loop cannot be recorded, with the reason in Loop::refusal, or
/// cannot be recorded yet.
std::unique_ptr<DeviceLoop> Engine::record_loop(Loop& loop, int rounds, Index times, bool moves,
                                                std::vector<double> settings,
                                                const StepClock& clock) {
  const Stage& stage = *loop.stage;
  const auto segments = segments_of_round(loop);
  Domain& domain = domain_of(*segments.front()->grid);
  auto made = std::make_unique<DeviceLoop>();
  made->settings = std::move(settings);
  made->state = domain.state_number();
  made->moves = moves;
  RoundWalk walk{domain, clock, loops_within(loop), *made};
  // The host of a round that holds loops looks again soon: it may take long.
  if (!walk.within.empty()) made->at_once = 1;
  made->numbers = std::make_unique<DeviceNumbers>(domain.some_executor(), numbers_of(segments),
                                                  stages_of(walk.within));
  domain.synchronize();
  domain.forget_hazards();
  bool ends_as_expected = false;
  domain.look_ahead([&] {
    walk_rounds(loop, rounds, walk);
    ends_as_expected = moves || domain.state_number() == made->state;
  });
  if (walk.refusal.empty() && walk.commands > most_commands) {
    walk.refusal = "a round is many commands";
  }
  loop.refusal = walk.refusal;
  if (!walk.refusal.empty() || walk.is_early || !ends_as_expected) return nullptr;
  const Index fit = std::max<Index>(1, most_commands_in_body / std::max<Index>(1, walk.commands));
  made->is_full = fit <= times;
  times = std::min(fit, times);
  made->rounds = rounds * static_cast<int>(times);
  std::vector<std::shared_ptr<const Stage>> scalars;
  for (const Segment* segment : segments) add_scalars(segment->stages, scalars);
  compile_kernels(walk.phases);
  compile_kernels(scalars, *made->numbers, domain.some_executor());
  DeviceLoops& loops = *domain.some_executor().loops();
  if (!walk.entered.empty()) {
    made->first_within = walk.entered.front();
    made->entries =
        std::count(walk.entered.begin(), walk.entered.end(), made->first_within) / rounds;
  }
  walk.is_recording = true;
  // Kernels of a graph start sooner than those of a loop in one.
  made->has_end = stage.kind == Stage::Kind::until;
  const LoopEnd end = made->numbers->end(stage);
  loops.begin_loop(made->has_end ? &end : nullptr);
  try {
    domain.look_ahead([&] {
      for (Index n = 0; n < times; ++n) walk_rounds(loop, rounds, walk);
      const bool is_back = domain.state_number() == made->state;
      require(moves || is_back, "a round of a loop has not ended as it began");
    });
    made->recording = loops.end_loop();
  } catch (...) {
    loops.abandon_loops();
    throw;
  }
  domain.forget_hazards();
  return made;
}

}  // namespace goban
