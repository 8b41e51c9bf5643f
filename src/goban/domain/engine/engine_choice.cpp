// Chooses the execution plan of each segment: steps per exchange, steps per pass, and overlap.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "goban/backend/emulated.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/kernels_ahead.hpp"
#include "goban/domain/engine/pass_refusal.hpp"

namespace goban {
namespace {

/// After this many runs in a row that are shorter than the cycle to be tried, trials end.
constexpr int most_short_runs = 16;

constexpr const char* sweeps_are_faster = "single sweeps were faster";
constexpr const char* sweeps_are_expected = "single sweeps are predicted to be faster";

const Settings& settings_of(const GridState& grid) { return grid.context->settings(); }

/// Returns the minimum of a number over all ranks, whose devices may differ in what they can do.
int least_of_ranks(Domain& domain, int number) {
  if (domain.communicator().size() == 1) return number;
  std::array<std::int64_t, 1> least{number};
  domain.communicator().minimum(least);
  return static_cast<int>(least[0]);
}

/// Returns the margin beyond which plans are not tried: a plan must be predicted to take at most 1
/// + margin times as long as the fastest. The margin is wider if rates are those of another machine
/// or were measured quickly, and for tuning.
double margin_of(const GridState& grid, Trials trials) {
  constexpr double with_rates_of_this_host = 0.25, with_others = 1;
  const MachineRates& machine = grid.context->machine();
  const bool is_measured = !machine.host.empty() && !machine.is_quick;
  const double margin = is_measured ? with_rates_of_this_host : with_others;
  return trials == Trials::of_tuning ? 2 * margin : margin;
}

/// Returns the cuts of all grids of a family.
std::vector<std::array<std::vector<Index>, 3>> cuts_of(const Patches& patches) {
  std::vector<std::array<std::vector<Index>, 3>> all;
  for (int grid = 0; grid < patches.grids(); ++grid) {
    all.push_back(patches.decomposition(grid).cuts);
  }
  return all;
}

bool has_several_grids(const Slots& slots) {
  for (int s = 1; s < slots.size(); ++s) {
    if (slots.grid(s) != slots.grid(0)) return true;
  }
  return false;
}

/// Returns whether halos come from other ranks, or from other devices of this rank whose queues
/// could compute meanwhile.
bool has_halos_of_others(Domain& domain) {
  return domain.has_messages() ||
         (domain.executors().size() > 1 && domain.some_executor().is_asynchronous());
}

/// Returns whether all fields of a patch fit into the machine's cache, so that they stay there from
/// step to step.
bool is_cached(const Slots& slots, const GridState& grid, int patches) {
  double bytes = 0;
  for (int s = 0; s < slots.size(); ++s) {
    bytes += static_cast<double>(product(grid.cells)) * slots.field(s).components *
             static_cast<double>(slots.field(s).element_size());
  }
  return bytes / patches < grid.context->machine().device.cache_bytes();
}

}  // namespace

Index Engine::widest_halo(const Domain& domain) const {
  Index widest = 0;
  visit_segments(*block_, [&](const Segment& segment) {
    if (&domain_of(*segment.grid) != &domain) return;
    for (const Extents& width : halo_widths(cycle_of(segment, segment.plan.steps_per_exchange))) {
      for (std::size_t a = 0; a < 3; ++a) widest = std::max({widest, width.low[a], width.high[a]});
    }
  });
  return widest;
}

/// Analyses a cycle: this number of steps between two exchanges.
Cycle Engine::cycle_of(const Segment& segment, int steps) const {
  return analyze(segment.stages, segment.slots,
                 {steps, settings_of(*segment.grid).recompute, segment.alive,
                  cuts_of(domain_of(*segment.grid).patches()), computed_});
}

/// A pass has no overlap: its exchange comes before it.
Schedule Engine::schedule_of(const Segment& segment, int steps, const StepPlan& plan) const {
  const bool passes = steps > 1 && plan.steps_per_pass > 1;
  using Edges = ScheduleOptions::Edges;
  const Domain& domain = domain_of(*segment.grid);
  const bool in_order = !domain.some_executor().is_asynchronous();
  const Edges edges = in_order            ? Edges::rows
                      : domain.is_mixed() ? Edges::none  // hosts do not reach memory of devices
                                          : Edges::sends;
  return make_schedule(
      cycle_of(segment, steps), segment.slots, domain.patches(),
      {passes ? Overlap::none : plan.overlap, edges, domain.channels().are_peers()});
}

Engine::Planned& Engine::planned_for(Segment& segment, int steps) const {
  const std::tuple key{steps, segment.plan.steps_per_pass, segment.plan.overlap};
  auto at = segment.planned.find(key);
  if (at == segment.planned.end()) {
    Domain& domain = domain_of(*segment.grid);
    Schedule schedule = schedule_of(segment, steps, segment.plan);
    const auto reached = domain.channels().are_peers();
    domain.open_channels(schedule, segment.slots);
    if (domain.channels().are_peers() != reached) {  // whose halos it may store into was not known
      schedule = schedule_of(segment, steps, segment.plan);
    }
    at = segment.planned.emplace(key, Planned{std::move(schedule), {}, {}}).first;
    if (settings_of(*segment.grid).backend == Backend::emulated) {
      check_schedule(at->second.schedule, segment.slots);
    }
  }
  return at->second;
}

void Engine::choose_plans() {
  visit_segments(*block_, [&](Segment& segment) { choose_plans(segment); });
}

/// Chooses steps per exchange (R), steps per pass (T) and overlap. What the settings do not force
/// is left to trials between the longest passes that fit, shorter ones, single sweeps, overlap
/// where halos come from other devices, and cycles of several sweeps where ranks exchange halos;
/// plans that are predicted to be clearly slower are not tried. Within one process there are no
/// cycles of several sweeps, because there sweeps store into their neighbours' halos at little
/// cost.
void Engine::choose_plans(Segment& segment) const {
  Domain& domain = domain_of(*segment.grid);
  const PlanChoice before = std::exchange(segment.choice, {});
  const bool may_go_on =
      std::exchange(segment.distribution, domain.distribution()) == domain.distribution();
  const Overlap overlap = domain.overlap();
  segment.plan = {1, 1, overlap};
  segment.turn = {};
  segment.short_runs = 0;
  segment.pass_refusal.clear();
  const Settings& settings = settings_of(*segment.grid);
  if (segment.grid->active) {
    require(
        settings.steps_per_exchange <= 1 && !settings.recompute && overlap != Overlap::two_kernel,
        "the plan of the step is refused",
        "grids of active cells exchange halos once a step, before the sweep that reads them",
        "leave steps_per_exchange and recompute as they are, and overlap at one-kernel or none");
    require(settings.halo_precision == HaloPrecision::full, "rounded halos are refused",
            "those of active cells travel as they are", "leave halo_precision as it is");
    segment.pass_refusal = "its grid has active cells alone";
    return;
  }
  const bool is_on_several = has_several_grids(segment.slots);
  if (is_on_several) {
    require(settings.steps_per_exchange <= 1 && !settings.recompute,
            "several steps per exchange are refused",
            "stages of the step work on several grids, which would want halos of different widths",
            "leave steps_per_exchange and recompute as they are");
    segment.pass_refusal = "its stages work on several grids";
  } else if (!segment.repeats) {
    segment.pass_refusal = "the step is not one straight run of stages";
  }
  if (!segment.repeats) return;
  const TemporalBlocking* const blocking =
      settings.backend == Backend::reference ? nullptr : domain.some_executor().temporal_blocking();
  const bool is_left_open = settings.temporal_blocking < 0 && !is_on_several;
  int pass = is_on_several ? 1 : settings.temporal_blocking;
  if (is_left_open) {
    const bool fits_cache =
        trials_ == Trials::of_run &&
        is_cached(segment.slots, *segment.grid, decomposition_of(*segment.grid).patches());
    pass = blocking ? blocking->suggested_steps(segment.stages, fits_cache) : 1;
    if (overlap != Overlap::none || settings.steps_per_exchange > 0) pass = 1;
  }
  if (pass > 1 && domain.is_mixed()) segment.pass_refusal = "CPUs compute beside devices";
  const bool can_run_passes = blocking && !domain.is_mixed();
  pass = least_of_ranks(domain, can_run_passes ? pass : 1);
  int steps = settings.steps_per_exchange;
  if (steps == 0) {
    // The longest cycle whose halo fits the smallest patch.
    for (steps = std::max(1, pass); steps > 1 && !fits(segment, {steps, pass, overlap}); --steps) {
    }
    pass = std::min(pass, steps);
  }
  if (pass > 1) {
    segment.pass_refusal = refusal_of_pass(segment, {steps, pass, overlap});
    if (!segment.pass_refusal.empty()) {
      pass = 1;
      if (settings.steps_per_exchange == 0) steps = 1;
    }
  }
  segment.plan = {steps, std::max(1, pass), overlap};
  std::vector<StepPlan> plans{segment.plan};
  const bool has_half =
      is_left_open && pass > 3 && settings.steps_per_exchange == 0 && blocking->takes_any_length();
  if (has_half) plans.push_back({pass / 2, pass / 2, overlap});
  if (is_left_open && pass > 1) plans.push_back({1, 1, overlap});
  const bool may_expand = settings.steps_per_exchange == 0 && settings.temporal_blocking <= 1 &&
                          !is_on_several && settings.backend != Backend::reference &&
                          domain.has_messages();
  for (const int expanded : {2, 3, 4, 6, 8}) {
    if (!may_expand || !fits(segment, {expanded, 1, overlap})) break;
    plans.push_back({expanded, 1, overlap});
  }
  bool tries_overlap = settings.overlap == Overlap::automatic && overlap == Overlap::none &&
                       settings.backend != Backend::reference && has_halos_of_others(domain);
  if (trials_ == Trials::of_tuning) {
    plans = with_others(segment, std::move(plans), std::exchange(tries_overlap, false));
  }
  // Messages of what is recorded must not move when longer cycles, or overlap, are tried.
  std::vector<StepPlan> largest;
  if (plans.size() > 1) largest.push_back(plans.back());
  if (tries_overlap) largest.push_back({plans.back().steps_per_exchange, 1, Overlap::one_kernel});
  for (const StepPlan& plan : largest) {
    domain.open_channels(schedule_of(segment, plan.steps_per_exchange, plan), segment.slots);
  }
  PlanOffer offer = forecasts(segment, plans, tries_overlap);
  const bool goes_on = may_go_on && offer == segment.offer;
  if (!goes_on) segment.near = near_plans(offer, margin_of(*segment.grid, trials_));
  segment.offer = std::move(offer);
  segment.choice =
      goes_on ? before : PlanChoice(segment.near.tried, segment.near.tries_overlap, trials_);
  segment.plan = segment.choice.best();
  if (segment.plan.steps_per_pass == 1 && pass > 1) {
    segment.pass_refusal = goes_on ? sweeps_are_faster : sweeps_are_expected;
  }
}

/// Adds shorter passes, and every kind of overlap for plans without passes, for tuning.
std::vector<StepPlan> Engine::with_others(const Segment& segment, std::vector<StepPlan> plans,
                                          bool tries_overlap) const {
  std::vector<StepPlan> all;
  for (const StepPlan& plan : plans) {
    all.push_back(plan);
    if (plan.steps_per_pass > 1 && plans.size() > 1) {
      for (int pass = plan.steps_per_pass - 1; pass > 1; --pass) {
        const StepPlan shorter{pass, pass, plan.overlap};
        if (refusal_of_pass(segment, shorter).empty()) all.push_back(shorter);
      }
    } else if (tries_overlap) {
      for (const Overlap overlap : {Overlap::one_kernel, Overlap::two_kernel}) {
        all.push_back({plan.steps_per_exchange, 1, overlap});
      }
    }
  }
  return all;
}

/// Returns why passes of this plan cannot be computed; empty if all ranks can compute them.
/// Collective.
std::string Engine::refusal_of_pass(const Segment& segment, const StepPlan& plan) const {
  Domain& domain = domain_of(*segment.grid);
  // Values would come to lie in buffers that passes need besides.
  if (domain.has_given_memory()) return "fields lie in memory that is given";
  std::string refusal = refusal_of(schedule_of(segment, plan.steps_per_exchange, plan), dt_.get());
  if (refusal.empty()) {
    refusal =
        domain.some_executor().temporal_blocking()->refusal(segment.stages, plan.steps_per_pass);
  }
  const bool is_fine = refusal.empty();
  const bool is_fine_everywhere = least_of_ranks(domain, is_fine ? 1 : 0) == 1;
  return is_fine && !is_fine_everywhere ? "other ranks cannot compute it so" : refusal;
}

void Engine::try_all_plans() { trials_ = Trials::of_tuning; }

void Engine::end_trials() {
  visit_segments(*block_, [&](Segment& segment) {
    if (!segment.choice.is_open()) return;
    segment.choice.close(std::numeric_limits<Index>::max());
    segment.plan = segment.choice.best();
    segment.turn = {};
  });
}

/// Returns whether halos of this plan are no wider than patches and cost neither too much redundant
/// work nor too much memory.
bool Engine::fits(const Segment& segment, const StepPlan& plan) const {
  constexpr double most_expanded = 2.5, most_memory = 1.2;
  constexpr int long_pass = 8;  // longer ones gain little, and their halos take memory
  try {
    const Schedule schedule = schedule_of(segment, plan.steps_per_exchange, plan);
    const bool is_pass = plan.steps_per_pass > 1;
    if (is_pass && plan.steps_per_pass <= long_pass) return true;
    Extents widest;
    for (const Extents& width : halo_widths(schedule.cycle)) widest = hull(widest, width);
    const Decomposition& decomposition = decomposition_of(*segment.grid);
    double expanded = 1, memory = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (decomposition.cuts[a].size() == 2) continue;
      const auto extent = static_cast<double>(decomposition.smallest(static_cast<int>(a)));
      const double halo = static_cast<double>(widest.low[a] + widest.high[a]) / extent;
      expanded *= 1 + halo / 2;
      memory *= 1 + halo;
    }
    return is_pass ? memory <= most_memory : expanded <= most_expanded;
  } catch (const Error&) {
    return false;
  }
}

/// Adopts a plan and allocates its halos. Returns false if there is not enough memory.
bool Engine::try_plan(Segment& segment, const StepPlan& plan) {
  segment.plan = plan;
  try {
    find_halos();
    prepare();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Replaces chosen plans with wide halos by plans with one step per exchange, after memory was too
/// small for them. Returns false if there was nothing to replace.
bool Engine::choose_narrow_halos() {
  bool are_narrower = false;
  visit_segments(*block_, [&](Segment& segment) {
    for (const PlanForecast& one : segment.offer.plans) {
      const bool is_choice = segment.plan == segment.choice.best();  // and not what is being tried
      if (!is_choice || segment.plan.steps_per_exchange == 1 || one.plan.steps_per_exchange > 1)
        continue;
      segment.choice = PlanChoice({one.plan});
      segment.plan = one.plan;
      are_narrower = true;
    }
  });
  if (are_narrower) find_halos();
  return are_narrower;
}

/// Frees halos that only plans need that have lost, as they take memory and move rows further
/// apart.
void Engine::fit_halos(Segment& segment) {
  Domain& domain = domain_of(*segment.grid);
  domain.synchronize();
  forget_loops();
  segment.forget_recorded();
  find_halos();
  try {
    for (int s = 0; s < segment.slots.size(); ++s) {
      const int id = segment.slots.field(s).id;
      domain.fit(id, halos_.at(segment.grid->root)[static_cast<std::size_t>(id)]);
    }
  } catch (const Error&) {  // no room for two at a time: they stay as they are
  }
}

/// Runs some cycles of the plan whose turn it is and measures them. Returns the number of steps
/// that were run.
Index Engine::take_turn(Segment& segment, Index steps, StepClock& clock) {
  Domain& domain = domain_of(*segment.grid);
  const auto seconds_since = [](std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (segment.turn.cycles_left == 0) {
    // What is measured before kernels are there tells nothing of later.
    const auto all = domain.executors();
    const bool is_preparing = std::any_of(all.begin(), all.end(),
                                          [](const Executor* one) { return one->is_preparing(); });
    if (least_of_ranks(domain, is_preparing ? 0 : 1) == 0) {
      const Index some = std::min<Index>(segment.plan.steps_per_exchange, steps);
      run_straight(segment, some, clock);
      return some;
    }
  }
  if (segment.turn.cycles_left == 0) {
    const auto start = std::chrono::steady_clock::now();
    if (segment.choice.is_new()) {
      forget_loops();
      segment.forget_recorded();  // of those that have lost, and with memory that moves
      if (!try_plan(segment, segment.choice.current())) {
        segment.choice.refuse();
        segment.plan = segment.choice.current();
        find_halos();  // those that there is room for
      }
    }
    segment.plan = segment.choice.current();
    // Ranks with less to do may not record what others do, and all measure the same cycles.
    const int at_once =
        least_of_ranks(domain, is_recordable(segment) ? cycles_at_once(segment) : 0);
    segment.turn = {segment.choice.cycles(at_once), 0, seconds_since(start)};
  }
  auto& [cycles_left, steps_run, seconds] = segment.turn;
  const Index cycle = segment.plan.steps_per_exchange;
  const Index cycles = std::min(cycles_left, steps / cycle);
  if (cycles == 0) {  // what is left of a run tells nothing
    run_straight(segment, steps, clock);
    if (++segment.short_runs == most_short_runs) segment.choice.close(steps);
    segment.plan = segment.choice.current();
    return steps;
  }
  segment.short_runs = 0;
  domain.synchronize();
  const auto start = std::chrono::steady_clock::now();
  run_straight(segment, cycles * cycle, clock);
  domain.synchronize();
  seconds += seconds_since(start);
  steps_run += cycles * cycle;
  cycles_left -= cycles;
  if (cycles_left > 0) return cycles * cycle;
  std::array<std::int64_t, 1> agreed{std::llround(seconds * 1e12)};
  domain.communicator().maximum(agreed);
  const StepPlan before = segment.choice.best();
  segment.choice.add(static_cast<double>(agreed[0]) * 1e-12, steps_run);
  // Until there is room for a new plan, steps go on as before.
  if (!segment.choice.is_new()) segment.plan = segment.choice.current();
  const StepPlan& best = segment.choice.best();
  if (best.steps_per_pass != before.steps_per_pass) {
    segment.pass_refusal = best.steps_per_pass == 1 ? sweeps_are_faster : "";
  }
  return cycles * cycle;
}

/// Compiles the kernels of all segments together: those of the first cycle and, if there is one
/// rank, those of the second, in which some ghosts are valid that were stale in the first; then
/// those of the shorter cycles at the end of `runs`.
void Engine::compile_all_kernels(const std::vector<Index>& runs) {
  if (std::exchange(are_compiled_, true)) return;
  std::vector<std::shared_ptr<Phase>> all;
  visit_segments(*block_, [&](Segment& segment) {
    Domain& domain = domain_of(*segment.grid);
    // Lists are made by all ranks or by none.
    if (least_of_ranks(domain, domain.some_executor().compiler() ? 1 : 0) == 0) return;
    const int steps = segment.plan.steps_per_exchange;
    Planned& planned = planned_for(segment, steps);
    const int pass = steps_of_pass(segment, steps);
    const std::shared_ptr<Phase> first =
        all.emplace_back(planned.phases.find(domain, planned.schedule, segment.slots, pass));
    if (domain.communicator().size() > 1) return;
    const auto second =
        planned.phases.find_after({first}, domain, planned.schedule, segment.slots, pass);
    if (second) all.push_back(second);
    if (!second || segment.choice.is_open()) return;
    for (const Index run : runs) {
      const auto rest = static_cast<int>(run % steps);
      if (rest == 0) continue;
      Planned& shorter = planned_for(segment, rest);
      const auto last = shorter.phases.find_after({first, second}, domain, shorter.schedule,
                                                  segment.slots, steps_of_pass(segment, rest));
      if (last) all.push_back(last);
    }
  });
  compile_kernels(all);
  if (steps_) compile_loop(*steps_);
  visit_items(*block_, [&](auto& what) {
    if (auto* const loop = std::get_if<Loop>(&what)) compile_loop(*loop);
  });
}

}  // namespace goban
