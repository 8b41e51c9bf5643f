#include "goban/performance/model/step_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "goban/lowering/lower.hpp"
#include "goban/performance/model/timeline.hpp"

namespace goban {
namespace {

/// The first cycles find no halo valid; then they repeat, those of two names that swap in pairs.
constexpr int first_cycles = 2, counted_cycles = 2;

HaloSide halo_of(int patch, int axis, Side side) { return {patch, axis, side}; }

Side other_side(Side side) { return side == Side::low ? Side::high : Side::low; }

/// Bindings to buffers that nobody has allocated.
Bindings bindings_on_paper(const Schedule& schedule, const StraightRun& run,
                           const PaperRank& rank) {
  constexpr Index line = 128;
  const auto fields = run.grid->root->fields.size();
  const std::vector<Extents> widths = halo_widths(schedule.cycle);
  Bindings bindings;
  bindings.state.entries.resize(2 * fields);
  bindings.layouts.resize(2 * fields);
  bindings.are_halos_reached.assign(2 * fields, true);
  for (int slot = 0; slot < run.slots.size(); ++slot) {
    const FieldRecord& field = run.slots.field(slot);
    const Extents& halo = widths[static_cast<std::size_t>(slot)];
    for (const std::size_t memory :
         {static_cast<std::size_t>(field.id), static_cast<std::size_t>(field.id) + fields}) {
      BufferState::Entry& entry = bindings.state.entries[memory];
      entry.serial = static_cast<int>(memory);
      entry.halo = halo;
      entry.halos.resize(static_cast<std::size_t>(field.components));
      for (const PatchGeometry& patch : rank.patches) {
        bindings.layouts[memory].push_back(make_layout(field, patch.owned.extents(), halo, line));
      }
    }
  }
  bindings.computers = rank.computers;
  bindings.is_asynchronous = rank.has_queues;
  bindings.channels = rank.channels;
  bindings.patches_with_peers = rank.patches_with_peers;
  return bindings;
}

/// Bytes that the busiest executor goes through in a step: what one run leaves in cache the others
/// drive out.
double working_set(const StraightRun& run, const PaperRank& rank) {
  const Slots& slots = run.step.size() > 0 ? run.step : run.slots;
  std::map<int, double> bytes_per_cell;  // by grid
  for (int slot = 0; slot < slots.size(); ++slot) {
    const FieldRecord& field = slots.field(slot);
    if (field.in_place_of >= 0) continue;
    bytes_per_cell[slots.grid(slot)->number] +=
        field.components * static_cast<double>(field.element_size());
  }
  std::map<int, double> bytes;  // by executor
  std::size_t position = 0;
  for (const PatchGeometry& patch : rank.patches) {
    bytes[rank.computers[position++].executor] +=
        bytes_per_cell[patch.grid] * static_cast<double>(patch.owned.volume());
  }
  double most = 0;
  for (const auto& [executor, count] : bytes) most = std::max(most, count);
  return most;
}

Schedule schedule_of(const StraightRun& run, const StepPlan& plan, const PaperRank& rank) {
  CycleOptions options{plan.steps_per_exchange, plan.recompute, run.alive, {}, {}};
  for (int grid = 0; grid < rank.patches.grids(); ++grid) {
    options.cuts.push_back(rank.patches.decomposition(grid).cuts);
  }
  Cycle cycle = analyze(run.stages, run.slots, options);
  using Edges = ScheduleOptions::Edges;
  const Edges edges = !rank.has_queues ? Edges::rows : rank.is_mixed ? Edges::none : Edges::sends;
  const bool passes = plan.steps_per_exchange > 1 && plan.steps_per_pass > 1;
  return make_schedule(std::move(cycle), run.slots, rank.patches,
                       {passes ? Overlap::none : plan.overlap, edges, rank.stores_far});
}

}  // namespace

std::string text_of(const StepPlan& plan) {
  if (plan.steps_per_pass > 1) return fmt::format("{} steps a pass", plan.steps_per_pass);
  std::string text = fmt::format("R = {}", plan.steps_per_exchange);
  if (plan.overlap != Overlap::none) text += fmt::format(", {}", name_of(plan.overlap));
  return text;
}

PaperRank rank_on_paper(const Decomposition& decomposition,
                        const std::vector<Decomposition>& coarser, const GridState& grid,
                        const std::vector<int>& nodes, const MachineRates& machine) {
  Index3 middle = decomposition.process_grid();
  for (Index& n : middle) n /= 2;
  const int rank = decomposition.rank_of(decomposition.at(middle));
  PaperRank paper{Patches(decomposition, grid, rank), {}, machine.device.is_gpu, {}, nodes, rank};
  for (std::size_t a = 0; a < 3; ++a) {
    const Index ranks = decomposition.ranks[a];
    paper.stores_far[a] = machine.device.is_gpu && machine.peer.is_slow() && ranks > 1 &&
                          ranks == decomposition.ranks_of_machine[a];
  }
  if (paper.stores_far != std::array<bool, 3>{}) {
    paper.patches_with_peers.push_back(paper.patches.begin()->patch);
  }
  for (const Decomposition& cut : coarser) {
    paper.patches.add(cut, *grid.coarser[static_cast<std::size_t>(paper.patches.grids() - 1)]);
  }
  int executor = 0, of_grid = 0;
  for (const PatchGeometry& patch : paper.patches) {
    if (of_grid != patch.grid) executor = 0;
    of_grid = patch.grid;
    paper.computers.push_back(
        {machine.device.is_gpu ? executor++ : 0, false, machine.device.is_gpu});
    for (int axis = 0; axis < 3; ++axis) {
      for (const Side side : both_sides) {
        const int other = patch.neighbor[static_cast<std::size_t>(axis)][index_of(side)];
        if (other < 0 || paper.patches.is_local(other)) continue;
        const bool is_near = nodes[static_cast<std::size_t>(paper.patches.rank_of(other))] ==
                             nodes[static_cast<std::size_t>(rank)];
        Transport transport = Transport::host;
        if (machine.device.is_gpu && machine.nccl.is_slow()) transport = Transport::nccl;
        if (machine.device.is_gpu && is_near && machine.peer.is_slow()) transport = Transport::peer;
        const auto number = static_cast<int>(paper.channels.size());
        paper.channels[{MessageEnd::receives, halo_of(patch.patch, axis, side)}] = {transport,
                                                                                    number};
        paper.channels[{MessageEnd::sends, halo_of(other, axis, other_side(side))}] = {transport,
                                                                                       number + 1};
      }
    }
  }
  return paper;
}

void StepPrediction::add(const StepPrediction& part, const StraightRun& run,
                         const MachineRates& machine) {
  double begins = 0;
  if (part.is_alone && run.is_looped) {
    begins = run.begins * machine.loop + run.rounds * machine.loop_round;
  } else if (!part.is_alone || !run.repeats_alone) {
    begins = (run.is_looped ? run.times : run.begins) * machine.run;
  }
  if (part.is_alone && run.tells_time) begins += machine.clock;
  const double all = begins + run.times * part.seconds;
  seconds += all;
  if (run.is_solver) solver += all;
  busy += part.busy * run.times;
  busy.launch += begins;
  std::string first, last;
  for (const auto& stage : run.stages) {
    if (stage->name.empty()) continue;  // fields swap
    last = stage->name;
    if (first.empty()) first = last;
  }
  parts.push_back({first == last ? first : first + " to " + last, run.grid->cells, run.times, all});
}

namespace {

/// Whether one device has all patches, and works beside the host.
bool is_alone(const PaperRank& rank) {
  const auto& all = rank.computers;
  return rank.has_queues && rank.nodes.size() == 1 && !rank.is_mixed && !rank.is_part &&
         std::all_of(all.begin(), all.end(),
                     [&](const auto& one) { return one.executor == all.front().executor; });
}

}  // namespace

SweepWork sweep_work(const StraightRun& run, const PaperRank& rank) {
  const Schedule schedule = schedule_of(run, {}, rank);
  Bindings bindings = bindings_on_paper(schedule, run, rank);
  for (int cycle = 0; cycle < first_cycles; ++cycle) {
    CommandList list = lower(schedule, run.slots, bindings, 1);
    bindings.state = std::move(list.after);
    bindings.before = std::move(list.hazards);
  }
  SweepWork work;
  for (const Command& command : lower(schedule, run.slots, bindings, 1).commands) {
    if (!std::holds_alternative<Sweep>(command.what)) continue;
    work.bytes += command.bytes;
    work.flops += command.flops;
  }
  return work;
}

namespace {

/// What commands of a run cost depends on; `schedule` and `halos` must outlive it.
CostContext context_of(const StraightRun& run, const PaperRank& rank, const MachineRates& machine,
                       const Schedule& schedule, const std::vector<Extents>& halos) {
  const bool is_on_device = is_alone(rank);
  CostContext context{schedule,
                      run.slots,
                      machine,
                      halos,
                      working_set(run, rank),
                      static_cast<int>(rank.nodes.size()),
                      run.bytes_told,
                      is_on_device && (run.keeps_results || run.is_looped || run.repeats_alone),
                      {},
                      {}};
  context.is_on_this_node = [&rank](int other) {
    return rank.nodes[static_cast<std::size_t>(other)] ==
           rank.nodes[static_cast<std::size_t>(rank.rank)];
  };
  context.executor_of = [&rank](int patch) {
    return rank.patches.is_local(patch) ? rank.computers[rank.patches.position(patch)].executor
                                        : -1;
  };
  return context;
}

}  // namespace

std::vector<KernelWork> kernel_work(const StraightRun& run, const PaperRank& rank,
                                    const MachineRates& machine) {
  const Schedule schedule = schedule_of(run, {}, rank);
  Bindings bindings = bindings_on_paper(schedule, run, rank);
  const std::vector<Extents> halos = halo_widths(schedule.cycle);
  const CostContext context = context_of(run, rank, machine, schedule, halos);
  std::vector<KernelWork> all;
  for (const Command& command : lower(schedule, run.slots, bindings, 1).commands) {
    const auto* const sweep = std::get_if<Sweep>(&command.what);
    if (!sweep) continue;
    const std::string& name =
        schedule.cycle.instances[static_cast<std::size_t>(sweep->instance)].stage->name;
    auto at = std::find_if(all.begin(), all.end(), [&](const auto& k) { return k.stage == name; });
    if (at == all.end()) at = all.insert(all.end(), {name, 0, 0, 0});
    const CommandCost spent = cost(command, context);
    at->flops += run.times * command.flops;
    at->bytes += run.times * moved_bytes(*sweep, context);
    at->seconds += run.times * (spent.operations + spent.bytes + spent.launch);
  }
  return all;
}

StepPrediction predict_step(const StraightRun& run, const StepPlan& plan, const PaperRank& rank,
                            const MachineRates& machine) {
  const Schedule schedule = schedule_of(run, plan, rank);
  Bindings bindings = bindings_on_paper(schedule, run, rank);
  const std::vector<Extents> halos = halo_widths(schedule.cycle);
  const CostContext context = context_of(run, rank, machine, schedule, halos);
  PredictedTimeline timeline(rank.has_queues);
  double start = 0;
  CommandCost busy;
  for (int cycle = 0; cycle < first_cycles + counted_cycles; ++cycle) {
    if (cycle == first_cycles) {
      start = timeline.now();
      busy = timeline.busiest();
    }
    CommandList list = lower(schedule, run.slots, bindings, plan.steps_per_pass);
    timeline.add(list, context);
    bindings.state = std::move(list.after);
    bindings.before = std::move(list.hazards);
  }
  const double steps = static_cast<double>(counted_cycles) * plan.steps_per_exchange;
  StepPrediction prediction;
  prediction.is_alone = is_alone(rank);
  prediction.seconds = (timeline.now() - start) / steps;
  busy = busy * -1;
  busy += timeline.busiest();
  prediction.busy = busy * (1 / steps);
  return prediction;
}

}  // namespace goban
