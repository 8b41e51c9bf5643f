#include "goban/domain/phases.hpp"

#include "goban/lowering/lower.hpp"

namespace goban {
namespace {

/// Where names are never bound as before, nothing is worth remembering.
constexpr std::size_t most_phases = 64;

std::shared_ptr<Phase> make_phase(Domain& domain, const Schedule& schedule, const Slots& slots,
                                  int steps_per_pass) {
  const auto phase = std::make_shared<Phase>();
  phase->list = lower(schedule, slots, domain.bindings(), steps_per_pass);
  if (!phase->list.spares_missing.empty()) {
    for (const MemoryNumber field : phase->list.spares_missing) domain.spare(field);
    phase->list = lower(schedule, slots, domain.bindings(), steps_per_pass);
  }
  phase->state = domain.state_number();
  phase->under_way = domain.under_way_number();
  phase->bound = Binder(domain, slots, schedule).bind(phase->list);
  phase->events.resize(phase->list.commands.size());
  phase->state_after = domain.number(phase->list.after);
  if (!phase->list.left.empty()) phase->under_way_after = domain.number(phase->list.hazards);
  return phase;
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
  return all_.emplace_back(make_phase(domain, schedule, slots, steps_per_pass));
}

}  // namespace goban
