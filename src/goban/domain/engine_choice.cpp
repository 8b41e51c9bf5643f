// Which schedules an engine runs: steps per exchange, steps per pass through cache.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <set>

#include "goban/base/error.hpp"
#include "goban/domain/engine_block.hpp"
#include "goban/domain/pass_choice.hpp"
#include "goban/program/device_shape.hpp"
#include "goban/program/schedule_check.hpp"

namespace goban {
namespace {

/// Who asks for few steps at a time, so often, has no use for longer cycles.
constexpr int most_short_runs = 16;

constexpr const char* sweeps_are_faster = "single sweeps were faster";

const Settings& settings_of(const GridState& grid) { return grid.context->settings(); }

/// Why a schedule cannot run in passes through cache; empty if it can. `dt`: the time step, if it
/// is a parameter.
std::string refusal_of(const Schedule& schedule, const ParameterRecord* dt) {
  if (!schedule.computes_ahead) return "stages exchange halos in between";
  const std::array<int, 3>* order = nullptr;
  std::set<const ParameterRecord*> reduced;
  for (const auto& instance : schedule.cycle.instances) {
    const Stage& stage = *instance.stage;
    if (stage.columns) return "stage '" + stage.name + "' sweeps columns";
    if (stage.kind == Stage::Kind::reduce) reduced.insert(stage.target.get());
    for (const auto& argument : stage.arguments) {
      if (!argument.field) continue;
      if (!order) order = &argument.field->order;
      if (argument.field->order != *order) return "its stages have different memory layouts";
      if (argument.field->in_place) return "field '" + argument.field->name + "' is in place";
      if (argument.field->has_timed_ghosts()) {
        return "field '" + argument.field->name +
               "' has a boundary condition that is custom or varies";
      }
    }
  }
  if (reduced.count(dt) > 0) return "the time step follows a reduction";
  for (const auto& instance : schedule.cycle.instances) {
    const Stage& stage = *instance.stage;
    std::vector<std::shared_ptr<ParameterRecord>> used = stage.parameters;
    for (const auto& argument : stage.arguments) used.push_back(argument.parameter);
    for (const auto& parameter : used) {
      if (parameter && reduced.count(parameter.get()) > 0) {
        return "stage '" + stage.name + "' depends on what is reduced in the same step";
      }
    }
  }
  return {};
}

/// The step renews the fields that march, each passed once, and nothing else: it changes places
/// with what is made of it. Of others no neighbours are read.
bool marches(const Stage& sweep, const std::vector<std::shared_ptr<Stage>>& stages) {
  std::vector<std::array<const FieldRecord*, 2>> pairs;
  const auto field = [&](int argument) {
    return sweep.arguments[static_cast<std::size_t>(argument)].field.get();
  };
  std::size_t outputs = 0;
  for (const auto& argument : sweep.arguments) {
    if (argument.field && argument.access == Access::out) ++outputs;
  }
  for (const MarchPair& pair : DeviceShape(sweep).pairs) {
    if (pair.in >= 0) pairs.push_back({field(pair.in), field(pair.out)});
  }
  if (pairs.empty() || outputs != pairs.size()) return false;
  const auto pair_of = [&](const FieldRecord* of) {
    return std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
      return std::find(pair.begin(), pair.end(), of) != pair.end();
    });
  };
  for (const Read& read : sweep.footprint.reads) {
    const FieldRecord* of = field(read.parameter);
    if (of && read.offset != std::array<int, 3>{} && pair_of(of) == pairs.end()) return false;
  }
  for (const auto& pair : pairs) {
    for (const FieldRecord* of : pair) {
      const auto uses = std::count_if(sweep.arguments.begin(), sweep.arguments.end(),
                                      [&](const auto& a) { return a.field.get() == of; });
      if (uses != 1 || of->location != pairs.front().front()->location) return false;
    }
  }
  std::size_t permutations = 0;
  for (const auto& stage : stages) {
    if (stage->kind != Stage::Kind::permute) continue;
    ++permutations;
    const auto& names = stage->names;
    if (names.size() != 2 || names[0] == names[1]) return false;
    const auto pair = pair_of(names[0].get());
    if (pair == pairs.end() || pair != pair_of(names[1].get())) return false;
  }
  return permutations == pairs.size();
}

/// Why devices cannot compute `steps` steps of these stages in one pass, which may renew
/// `most_fields` fields; empty if they can.
std::string refusal_on_devices(const std::vector<std::shared_ptr<Stage>>& stages, int steps,
                               int most_fields) {
  const Stage* sweep = nullptr;
  for (const auto& stage : stages) {
    if (stage->kind == Stage::Kind::permute) continue;
    if (!stage->is_sweep() || sweep) return "on GPUs a pass has one stage";
    sweep = stage.get();
  }
  if (!sweep) return "nothing is computed";
  if (!sweep->covers_everything()) return "on GPUs a pass updates all cells";
  const DeviceShape shape(*sweep);
  if (!shape.marches(steps)) {
    return "stage '" + sweep->name + "' has no kernel for passes of " + std::to_string(steps) +
           " steps on GPUs";
  }
  if (shape.pair_count > most_fields) {
    return "passes of stage '" + sweep->name + "' need a GPU that copies ahead by itself";
  }
  if (!marches(*sweep, stages)) {
    return "on GPUs a pass renews the fields that neighbours are read of and no others";
  }
  for (const auto& argument : sweep->arguments) {
    if (!argument.field) continue;
    for (const auto& component : argument.field->boundary) {
      for (const auto& axis : component.sides) {
        for (const auto& side : axis) {
          using Kind = BoundaryCondition::Kind;
          if (side.kind != Kind::periodic && side.kind != Kind::constant) {
            return "on GPUs passes know constant and periodic boundaries alone";
          }
        }
      }
    }
  }
  return {};
}

/// The most steps for which devices have a kernel; 1 if there is none.
int longest_pass_on_devices(const std::vector<std::shared_ptr<Stage>>& stages, int most_fields) {
  for (int steps = 4; steps > 1; --steps) {
    if (refusal_on_devices(stages, steps, most_fields).empty()) return steps;
  }
  return 1;
}

/// Devices of one rank may not be able to do what those of others can.
int least_of_ranks(Domain& domain, int number) {
  if (domain.communicator().size() == 1) return number;
  std::array<std::int64_t, 1> least{number};
  domain.communicator().minimum(least);
  return static_cast<int>(least[0]);
}

double bytes_of_patch(const Slots& slots, const GridState& grid, int patches) {
  double bytes = 0;
  for (int s = 0; s < slots.size(); ++s) {
    bytes += static_cast<double>(product(grid.cells)) * slots.field(s).components *
             static_cast<double>(slots.field(s).element_size());
  }
  return bytes / patches;
}

}  // namespace

Index Engine::widest_halo(const Domain& domain) const {
  Index widest = 0;
  visit_segments(*block_, [&](const Segment& segment) {
    if (&domain_of(*segment.grid) != &domain) return;
    const bool recompute = settings_of(*segment.grid).recompute;
    const Cycle cycle = analyze(segment.stages, segment.slots,
                                {segment.way.steps_per_cycle, recompute, segment.alive});
    for (const Extents& width : halo_widths(cycle)) {
      for (std::size_t a = 0; a < 3; ++a) widest = std::max({widest, width.low[a], width.high[a]});
    }
  });
  return widest;
}

/// Nothing overlaps with the sweeps of a pass: its exchange comes first.
Schedule Engine::plan(const Segment& segment, int steps, const Way& way) const {
  const Settings& settings = settings_of(*segment.grid);
  const bool passes = steps > 1 && way.steps_per_pass > 1;
  Cycle cycle = analyze(segment.stages, segment.slots,
                        {steps, settings.recompute, segment.alive,
                         domain_of(*segment.grid).decomposition().cuts, computed_});
  using Edges = ScheduleOptions::Edges;
  const Domain& domain = domain_of(*segment.grid);
  const bool in_order = !domain.some_executor().is_asynchronous();
  const Edges edges = in_order            ? Edges::rows
                      : domain.is_mixed() ? Edges::none  // hosts do not reach memory of devices
                                          : Edges::sends;
  return make_schedule(
      std::move(cycle), segment.slots, domain.patches(),
      {passes ? Overlap::none : way.overlap, edges, domain.channels().are_peers()});
}

Engine::Planned& Engine::planned_for(Segment& segment, int steps) const {
  const std::tuple key{steps, segment.way.steps_per_pass, segment.way.overlap};
  auto at = segment.planned.find(key);
  if (at == segment.planned.end()) {
    Domain& domain = domain_of(*segment.grid);
    Schedule schedule = plan(segment, steps, segment.way);
    const auto reached = domain.channels().are_peers();
    domain.open_channels(schedule, segment.slots);
    if (domain.channels().are_peers() != reached) {  // whose halos it may store into was not known
      schedule = plan(segment, steps, segment.way);
    }
    at = segment.planned.emplace(key, Planned{std::move(schedule), {}, {}}).first;
    if (settings_of(*segment.grid).backend == Backend::emulated) {
      check_schedule(at->second.schedule, segment.slots);
    }
  }
  return at->second;
}

void Engine::choose_ways() {
  visit_segments(*block_, [&](Segment& segment) { choose_ways(segment); });
}

/// R, T and overlap: forced by the settings, otherwise the longest passes that fit and may pay,
/// single sweeps and, where ranks exchange halos, overlap and cycles of several sweeps; the run
/// finds out. Not within a process, where sweeps store into the halos of their neighbours at little
/// cost.
void Engine::choose_ways(Segment& segment) const {
  Domain& domain = domain_of(*segment.grid);
  const WayChoice before = std::exchange(segment.choice, {});
  const bool may_go_on =
      std::exchange(segment.distribution, domain.distribution()) == domain.distribution();
  const Overlap overlap = domain.overlap();
  segment.way = {1, 1, overlap};
  segment.turn = {};
  segment.short_runs = 0;
  segment.pass_refusal.clear();
  if (!segment.repeats) {
    segment.pass_refusal = "the step is not one straight run of stages";
    return;
  }
  const Settings& settings = settings_of(*segment.grid);
  Executor& executor = domain.some_executor();
  const bool can_run_passes =
      executor.fields_in_pass() > 0 && !domain.is_mixed() && settings.backend != Backend::reference;
  const bool is_device = executor.device_memory() != nullptr;
  const bool is_left_open = settings.temporal_blocking < 0;
  int pass = settings.temporal_blocking;
  if (is_left_open) {
    pass = is_device
               ? longest_pass_on_devices(segment.stages, executor.fields_in_pass())
               : suggested_pass(segment.stages, bytes_of_patch(segment.slots, *segment.grid,
                                                               domain.decomposition().patches()));
    if (overlap != Overlap::none || settings.steps_per_exchange > 0) pass = 1;
  }
  if (pass > 1 && domain.is_mixed()) segment.pass_refusal = "CPUs compute beside devices";
  pass = least_of_ranks(domain, can_run_passes ? pass : 1);
  int steps = settings.steps_per_exchange;
  if (steps == 0) {
    // The longest cycle whose halo fits the smallest patch.
    for (steps = std::max(1, pass); steps > 1 && !fits(segment, {steps, pass, overlap}); --steps) {
    }
    pass = std::min(pass, steps);
  }
  if (pass > 1) {
    segment.pass_refusal = refusal_of(plan(segment, steps, {steps, pass, overlap}), dt_.get());
    if (segment.pass_refusal.empty() && is_device) {
      segment.pass_refusal = refusal_on_devices(segment.stages, pass, executor.fields_in_pass());
    }
    const bool is_fine = segment.pass_refusal.empty();
    if (least_of_ranks(domain, is_fine ? 1 : 0) == 0 && is_fine) {
      segment.pass_refusal = "other ranks cannot compute it so";
    }
    if (!segment.pass_refusal.empty()) {
      pass = 1;
      if (settings.steps_per_exchange == 0) steps = 1;
    }
  }
  segment.way = {steps, std::max(1, pass), overlap};
  std::vector<Way> ways{segment.way};
  if (is_left_open && pass > 1) ways.push_back({1, 1, overlap});
  const bool may_expand = settings.steps_per_exchange == 0 && settings.temporal_blocking <= 1 &&
                          settings.backend != Backend::reference && domain.has_messages();
  for (const int expanded : {2, 3, 4, 6, 8}) {
    if (!may_expand || !fits(segment, {expanded, 1, overlap})) break;
    ways.push_back({expanded, 1, overlap});
  }
  const bool tries_overlap = settings.overlap == Overlap::automatic && overlap == Overlap::none &&
                             settings.backend != Backend::reference && domain.has_messages();
  // Messages of what is recorded must not move when longer cycles, or overlap, are tried.
  std::vector<Way> largest;
  if (ways.size() > 1) largest.push_back(ways.back());
  if (tries_overlap) largest.push_back({ways.back().steps_per_cycle, 1, Overlap::one_kernel});
  for (const Way& way : largest) {
    domain.open_channels(plan(segment, way.steps_per_cycle, way), segment.slots);
  }
  const bool goes_on = may_go_on && before.is_among(ways, tries_overlap);
  segment.choice = goes_on ? before : WayChoice(std::move(ways), tries_overlap);
  segment.way = segment.choice.best();
  if (segment.way.steps_per_pass < pass) segment.pass_refusal = sweeps_are_faster;
}

/// Halos of this way are no wider than patches and do not make them compute most cells twice.
bool Engine::fits(const Segment& segment, const Way& way) const {
  constexpr double most_expanded = 2.5;
  try {
    const Schedule schedule = plan(segment, way.steps_per_cycle, way);
    if (way.steps_per_pass > 1) return true;
    Extents widest;
    for (const Extents& width : halo_widths(schedule.cycle)) widest = hull(widest, width);
    const Decomposition& decomposition = domain_of(*segment.grid).decomposition();
    double expanded = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (decomposition.cuts[a].size() == 2) continue;
      const auto extent = static_cast<double>(decomposition.smallest(static_cast<int>(a)));
      expanded *= 1 + static_cast<double>(widest.low[a] + widest.high[a]) / 2 / extent;
    }
    return expanded <= most_expanded;
  } catch (const Error&) {
    return false;
  }
}

/// Makes room for its halos. False: there is none.
bool Engine::try_way(Segment& segment, const Way& way) {
  segment.way = way;
  try {
    find_halos();
    prepare();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Halos of ways that have lost take room, and rows further apart take time.
void Engine::fit_halos(Segment& segment) {
  Domain& domain = domain_of(*segment.grid);
  domain.synchronize();
  segment.forget_recorded();
  find_halos();
  try {
    for (int s = 0; s < segment.slots.size(); ++s) {
      const int id = segment.slots.field(s).id;
      domain.fit(id, halos_.at(segment.grid.get())[static_cast<std::size_t>(id)]);
    }
  } catch (const Error&) {  // no room for two at a time: they stay as they are
  }
}

/// Some cycles of the way whose turn it is, and how long they take. Returns the steps it has run.
Index Engine::take_turn(Segment& segment, Index steps, StepClock& clock) {
  Domain& domain = domain_of(*segment.grid);
  const auto seconds_since = [](std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (segment.turn.cycles_left == 0) {
    const auto start = std::chrono::steady_clock::now();
    if (segment.choice.is_new()) {
      segment.forget_recorded();  // of those that have lost, and with memory that moves
      if (!try_way(segment, segment.choice.current())) {
        segment.choice.refuse();
        segment.way = segment.choice.current();
        find_halos();  // those that there is room for
      }
    }
    segment.way = segment.choice.current();
    const Index at_once = is_recordable(segment) ? cycles_at_once(segment) : 0;
    segment.turn = {segment.choice.cycles(at_once), 0, seconds_since(start)};
  }
  auto& [cycles_left, steps_run, seconds] = segment.turn;
  const Index cycle = segment.way.steps_per_cycle;
  const Index cycles = std::min(cycles_left, steps / cycle);
  if (cycles == 0) {  // what is left of a run tells nothing
    run_straight(segment, steps, clock);
    if (++segment.short_runs == most_short_runs) segment.choice.close();
    segment.way = segment.choice.current();
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
  const bool had_passes = segment.choice.best().steps_per_pass > 1;
  segment.choice.add(static_cast<double>(agreed[0]) * 1e-12, steps_run);
  segment.way = segment.choice.current();
  if (had_passes && segment.choice.best().steps_per_pass == 1) {
    segment.pass_refusal = sweeps_are_faster;
  }
  return cycles * cycle;
}

}  // namespace goban
