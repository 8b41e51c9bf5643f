#include "goban/domain/engine/phases.hpp"

#include <algorithm>

#include "goban/lowering/lower.hpp"

namespace goban {
namespace {

/// Programs that keep making new phases do not profit from old ones: beyond this number all are
/// dropped.
constexpr std::size_t most_phases = 64;

/// Returns whether replaying a recording saves time: starting it costs as much as submitting
/// `least` commands to each executor.
bool is_worth_recording(const Phase& phase, std::ptrdiff_t executors) {
  constexpr std::ptrdiff_t least = 3;
  const auto& commands = phase.list.commands;
  const auto results = std::count_if(commands.begin(), commands.end(), [](const Command& command) {
    return std::holds_alternative<Reduce>(command.what);
  });
  const auto submitted = std::count_if(phase.bound.begin(), phase.bound.end(),
                                       [](const BoundCommand& bound) { return !bound.is_hosts; });
  return results == 0 || submitted >= least * (results + 1) * executors;
}

std::shared_ptr<Phase> make_phase(Domain& domain, const Schedule& schedule, const Slots& slots,
                                  int steps_per_pass) {
  const auto phase = std::make_shared<Phase>();
  phase->list = lower(schedule, slots, domain.bindings(), steps_per_pass);
  while (!phase->list.spares_missing.empty()) {
    for (const MemoryNumber field : phase->list.spares_missing) domain.spare(field);
    phase->list = lower(schedule, slots, domain.bindings(), steps_per_pass);
  }
  phase->state = domain.state_number();
  phase->under_way = domain.under_way_number();
  phase->bound = Binder(domain, slots, schedule).bind(phase->list);
  phase->events.resize(phase->list.commands.size());
  phase->is_worth_recording = is_worth_recording(*phase, std::ssize(domain.executors()));
  phase->state_after = domain.number(phase->list.after);
  if (!phase->list.left.empty()) phase->under_way_after = domain.number(phase->list.hazards);
  return phase;
}

void add_recorded_parameters(const Phase& phase, std::set<const ParameterRecord*>& all) {
  const auto add = [&](const Stage& stage) {
    for (const auto& argument : stage.arguments) {
      if (argument.parameter) all.insert(argument.parameter.get());
    }
  };
  for (std::size_t i = 0; i < phase.bound.size(); ++i) {
    const bool has_numbers = phase.bound[i].has_numbers;
    for (const std::size_t last = i + static_cast<std::size_t>(phase.bound[i].bundled);; ++i) {
      const auto& work = phase.bound[i].work;
      const auto* const sweep = std::get_if<BoundSweep>(&work);
      if (sweep && !has_numbers) add(*sweep->task.stage);
      if (const auto* const pass = std::get_if<BoundPass>(&work)) {
        for (const auto& step : pass->task.steps) add(*step.sweep.stage);
      }
      if (i == last) break;
    }
  }
}

}  // namespace

const std::shared_ptr<Phase>& Phases::find(Domain& domain, const Schedule& schedule,
                                           const Slots& slots, int steps_per_pass) {
  const int state = domain.state_number(), under_way = domain.under_way_number();
  for (std::size_t n = 0; n < all_.size(); ++n) {
    latest_ = (latest_ + 1) % all_.size();  // mostly the one after the last
    const Phase& phase = *all_[latest_];
    if (phase.state == state && phase.under_way == under_way) return all_[latest_];
  }
  if (all_.size() == most_phases) all_.clear();
  latest_ = all_.size();
  const auto& made = all_.emplace_back(make_phase(domain, schedule, slots, steps_per_pass));
  add_recorded_parameters(*made, recorded_);
  return made;
}

std::shared_ptr<Phase> Phases::find_ahead(Domain& domain, const Schedule& schedule,
                                          const Slots& slots, int steps_per_pass) {
  const std::size_t latest = latest_;
  const CommandList list = lower(schedule, slots, domain.bindings(), steps_per_pass);
  if (!list.spares_missing.empty()) return nullptr;
  std::shared_ptr<Phase> found = find(domain, schedule, slots, steps_per_pass);
  latest_ = latest;
  return found;
}

std::shared_ptr<Phase> Phases::find_after(const std::vector<std::shared_ptr<Phase>>& before,
                                          Domain& domain, const Schedule& schedule,
                                          const Slots& slots, int steps_per_pass) {
  std::shared_ptr<Phase> found;
  domain.look_ahead([&] {
    for (const auto& phase : before) {
      phase->finish(domain, std::vector<EventPtr>(phase->list.commands.size()));
    }
    found = find_ahead(domain, schedule, slots, steps_per_pass);
  });
  return found;
}

void Phase::finish(Domain& domain, const std::vector<EventPtr>& events) const {
  domain.finish(list, state_after, under_way_after, events);
}

}  // namespace goban
