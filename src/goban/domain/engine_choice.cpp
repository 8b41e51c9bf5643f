// Which schedules an engine runs: steps per exchange, steps per pass through cache.

#include <algorithm>
#include <chrono>

#include "goban/base/error.hpp"
#include "goban/domain/engine_block.hpp"
#include "goban/domain/pass_choice.hpp"
#include "goban/program/schedule_check.hpp"

namespace goban {
namespace {

const Settings& settings_of(const GridState& grid) { return grid.context->settings(); }

/// Why a schedule cannot run in passes through cache; empty if it can.
std::string refusal_of(const Schedule& schedule) {
  if (!schedule.computes_ahead) return "stages exchange halos in between";
  const std::array<int, 3>* order = nullptr;
  for (const auto& instance : schedule.cycle.instances) {
    const Stage& stage = *instance.stage;
    if (stage.kind == Stage::Kind::reduce) return "the step contains a reduction";
    if (stage.is_sweep() && !stage.covers_everything()) {
      return "stage '" + stage.name + "' updates only part of the grid";
    }
    for (const auto& argument : stage.arguments) {
      if (!argument.field) continue;
      if (!order) order = &argument.field->order;
      if (argument.field->order != *order) return "its stages have different memory layouts";
      if (argument.field->in_place) return "field '" + argument.field->name + "' is in place";
      if (argument.field->boundary.has_custom()) {
        return "field '" + argument.field->name + "' has a custom boundary condition";
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
  for (const MarchPair& pair : sweep.kernels.device.pairs) {
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

/// Why devices cannot compute `steps` steps of these stages in one pass; empty if they can.
std::string refusal_on_devices(const std::vector<std::shared_ptr<Stage>>& stages, int steps) {
  const Stage* sweep = nullptr;
  for (const auto& stage : stages) {
    if (stage->kind == Stage::Kind::permute) continue;
    if (!stage->is_sweep() || sweep) return "on GPUs a pass has one stage";
    sweep = stage.get();
  }
  const auto& march = sweep->kernels.device.march;
  if (steps >= static_cast<int>(march.size()) || !march[static_cast<std::size_t>(steps)]) {
    return "stage '" + sweep->name + "' has no kernel for passes of " + std::to_string(steps) +
           " steps on GPUs";
  }
  if (!march[static_cast<std::size_t>(steps)](MarchCall{})) {
    return "passes of stage '" + sweep->name + "' need a GPU that copies ahead by itself";
  }
  if (!sweep->constant_footprint) {
    return "stage '" + sweep->name + "' reads beyond what its type tells";
  }
  if (!marches(*sweep, stages)) {
    return "on GPUs a pass renews the fields that neighbours are read of and no others";
  }
  for (const auto& argument : sweep->arguments) {
    if (!argument.field) continue;
    for (const auto& axis : argument.field->boundary.sides) {
      for (const auto& side : axis) {
        using Kind = BoundaryCondition::Kind;
        if (side.kind != Kind::periodic && side.kind != Kind::constant) {
          return "on GPUs passes know constant and periodic boundaries alone";
        }
      }
    }
  }
  return {};
}

/// The most steps for which devices have a kernel; 1 if there is none.
int longest_pass_on_devices(const std::vector<std::shared_ptr<Stage>>& stages) {
  for (int steps = 4; steps > 1; --steps) {
    if (refusal_on_devices(stages, steps).empty()) return steps;
  }
  return 1;
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

/// Nothing overlaps with the sweeps of a pass: its exchange comes first.
Schedule Engine::plan(const Segment& segment, int steps, int steps_per_pass) {
  const Settings& settings = settings_of(*segment.grid);
  const bool passes = steps > 1 && steps_per_pass > 1;
  Cycle cycle = analyze(segment.stages, segment.slots, {steps, settings.recompute, segment.alive});
  using Edges = ScheduleOptions::Edges;
  const bool in_order = !domain_of(*segment.grid).some_executor().is_asynchronous();
  return make_schedule(
      std::move(cycle), segment.slots, domain_of(*segment.grid).patches(),
      {passes ? Overlap::none : settings.overlap, in_order ? Edges::rows : Edges::sends});
}

Schedule& Engine::schedule_for(Segment& segment, int steps) {
  auto at = segment.schedules.find(steps);
  if (at == segment.schedules.end()) {
    at = segment.schedules.emplace(steps, plan(segment, steps, segment.steps_per_pass)).first;
    domain_of(*segment.grid).open_ways(at->second, segment.slots);
    if (settings_of(*segment.grid).backend == Backend::reference) {
      check_schedule(at->second, segment.slots);
    }
  }
  return at->second;
}

void Engine::choose_steps() {
  visit_segments(*block_, [](Segment& segment) { choose_steps(segment); });
}

/// R and T: forced by the settings, otherwise as large as the patches allow up to what pays.
void Engine::choose_steps(Segment& segment) {
  segment.steps_per_cycle = segment.steps_per_pass = 1;
  segment.pass_refusal.clear();
  segment.comparison = {};
  if (!segment.repeats) {
    segment.pass_refusal = "the step is not one straight run of stages";
    return;
  }
  const Settings& settings = settings_of(*segment.grid);
  Executor& executor = domain_of(*segment.grid).some_executor();
  const bool can_run_passes = executor.runs_passes() && settings.backend != Backend::reference;
  const bool is_device = executor.device_memory() != nullptr;
  const bool is_left_open = settings.temporal_blocking < 0;
  int pass = settings.temporal_blocking;
  if (is_left_open) {
    const int patches = domain_of(*segment.grid).decomposition().patches();
    pass = is_device ? longest_pass_on_devices(segment.stages)
                     : suggested_pass(segment.stages,
                                      bytes_of_patch(segment.slots, *segment.grid, patches));
    if (settings.overlap != Overlap::none || settings.steps_per_exchange > 0) pass = 1;
  }
  if (!can_run_passes) pass = 1;
  int steps = settings.steps_per_exchange;
  if (steps == 0) {
    // The longest cycle whose halo fits the smallest patch.
    for (steps = std::max(1, pass); steps > 1; --steps) {
      try {
        plan(segment, steps, pass);
        break;
      } catch (const Error&) {
      }
    }
    pass = std::min(pass, steps);
  }
  if (pass > 1) {
    segment.pass_refusal = refusal_of(plan(segment, steps, pass));
    if (segment.pass_refusal.empty() && is_device) {
      segment.pass_refusal = refusal_on_devices(segment.stages, pass);
    }
    if (!segment.pass_refusal.empty()) {
      pass = 1;
      if (settings.steps_per_exchange == 0) steps = 1;
    }
  }
  segment.steps_per_cycle = steps;
  segment.steps_per_pass = std::max(1, pass);
  if (is_left_open && pass > 1) segment.comparison.cycles_left = 6;
}

/// A cycle in passes or, the next time, sweep by sweep, which gives the same values. After some of
/// both the faster way is kept.
void Engine::compare(Segment& segment, StepClock& clock) {
  auto& [cycles_left, passes, sweeps] = segment.comparison;
  const bool is_pass = cycles_left-- % 2 == 0;
  Domain& domain = domain_of(*segment.grid);
  domain.synchronize();
  const auto start = std::chrono::steady_clock::now();
  if (is_pass) {
    run_cycles(segment, segment.steps_per_cycle, 1, clock);
  } else {
    for (int step = 0; step < segment.steps_per_cycle; ++step) run_cycles(segment, 1, 1, clock);
  }
  domain.synchronize();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  (is_pass ? passes : sweeps) = std::min(is_pass ? passes : sweeps, time.count());
  if (cycles_left > 0 || passes <= sweeps) return;
  segment.steps_per_cycle = segment.steps_per_pass = 1;
  segment.pass_refusal = "single sweeps were faster";
}

}  // namespace goban
