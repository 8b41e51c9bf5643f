#include "goban/performance/predict/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "goban/backend/pass_length.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/decomposition/coarsen.hpp"

namespace goban {
namespace {

/// Fields that passes of GPUs may renew.
constexpr int most_fields_in_pass = 2;

/// Ranks of so many devices, and the node of each.
struct PaperRanks {
  std::vector<int> nodes;
  Index devices_each = 1;
};

/// GPUs of one node belong to one process; otherwise every device has a process of its own.
PaperRanks ranks_for(Index devices, const MachineRates& machine) {
  const Index per_node = std::min<Index>(devices, machine.devices_per_node);
  PaperRanks ranks;
  if (machine.device.is_gpu && devices == per_node) ranks.devices_each = per_node;
  const Index count = devices / ranks.devices_each;
  for (Index rank = 0; rank < count; ++rank) {
    ranks.nodes.push_back(static_cast<int>(rank * ranks.devices_each / per_node));
  }
  return ranks;
}

/// A run and the rank that it is predicted for.
struct PlacedRun {
  StraightRun run;
  PaperRank rank;
};

/// One device has all of every grid of a family.
void add_coarser(PaperRank& rank, const GridState& root) {
  for (const auto& grid : root.coarser) {
    const Decomposition& finer = rank.patches.decomposition(grid->finer->number);
    rank.patches.add(cut_as_finer(finer, *grid), *grid);
    rank.computers.push_back(rank.computers.front());
  }
}

/// Whether the settings leave a plan as it is, as the engine reads them.
bool is_allowed(const StepPlan& plan, const PlacedRun& placed, bool has_neighbors) {
  const Settings& settings = placed.run.grid->context->settings();
  if (has_neighbors && settings.overlap != Overlap::automatic && plan.overlap != settings.overlap) {
    return false;
  }
  if (!placed.run.repeats) return true;
  const int told = settings.steps_per_exchange, pass = settings.temporal_blocking;
  if (told > 0 && plan.steps_per_exchange != told) return false;
  if (pass >= 0) return plan.steps_per_pass == std::max(1, pass);
  return plan.steps_per_pass == 1 || (told == 0 && (settings.overlap == Overlap::automatic ||
                                                    settings.overlap == Overlap::none));
}

/// Ways to run what repeats that the engine would try, and with two kernels, or what it is told to.
std::vector<StepPlan> plans_for(const PlacedRun& placed, const MachineRates& machine) {
  std::vector<StepPlan> plans;
  const bool has_messages = !placed.rank.channels.empty();
  const bool has_neighbors = placed.rank.patches.decomposition(0).patches() > 1;
  const auto add_overlapped = [&](StepPlan plan) {
    plans.push_back(plan);
    if (!has_neighbors) return;
    for (const Overlap overlap : {Overlap::one_kernel, Overlap::two_kernel}) {
      plan.overlap = overlap;
      plans.push_back(plan);
    }
  };
  const auto without_refused = [&] {
    std::erase_if(plans,
                  [&](const StepPlan& plan) { return !is_allowed(plan, placed, has_neighbors); });
    return plans;
  };
  add_overlapped({});
  if (!placed.run.repeats) return without_refused();
  const Settings& settings = placed.run.grid->context->settings();
  std::set<int> cycles = {settings.steps_per_exchange};
  if (has_messages) cycles.insert({2, 3, 4, 6, 8});
  for (const int steps : cycles) {
    if (steps > 1) add_overlapped({.steps_per_exchange = steps});
  }
  const int longest = machine.device.is_gpu
                          ? longest_pass_on_devices(placed.run.stages, most_fields_in_pass)
                          : longest_pass_on_cpus(placed.run.stages);
  for (int steps = 2; steps <= longest; ++steps) {
    plans.push_back({.steps_per_exchange = steps, .steps_per_pass = steps});
  }
  if (const int pass = settings.temporal_blocking; pass > 1) {
    const int told = settings.steps_per_exchange;
    add_overlapped({.steps_per_exchange = told > 0 ? told : pass, .steps_per_pass = pass});
  }
  return without_refused();
}

double bytes_per_device(const std::vector<PlacedRun>& runs) {
  std::map<const FieldRecord*, double> bytes;
  for (const PlacedRun& placed : runs) {
    std::map<int, double> cells;  // by grid
    for (const PatchGeometry& patch : placed.rank.patches) {
      double& most = cells[patch.grid];
      most = std::max(most, static_cast<double>(patch.owned.volume()));
    }
    for (int slot = 0; slot < placed.run.slots.size(); ++slot) {
      const FieldRecord& field = placed.run.slots.field(slot);
      if (field.in_place_of >= 0) continue;
      bytes[&field] = cells[placed.run.slots.grid(slot)->number] * field.components *
                      static_cast<double>(field.element_size());
    }
  }
  double all = 0;
  for (const auto& [field, size] : bytes) all += size;
  return all;
}

/// Predicts a step, with each run as often as it is in it. Runs that do not repeat have no choice
/// but overlap.
StepPrediction predict_all(const std::vector<PlacedRun>& runs, const StepPlan& plan,
                           const MachineRates& machine) {
  StepPrediction all;
  for (const PlacedRun& placed : runs) {
    const StepPlan own = placed.run.repeats ? plan : StepPlan{.overlap = plan.overlap};
    const StepPrediction one = predict_step(placed.run, own, placed.rank, machine);
    all.add(one, placed.run, machine);
  }
  return all;
}

}  // namespace

std::string ScalingPoint::limit() const {
  const CommandCost& busy = step.busy;
  const double halos = std::max(0.0, step.exposed() - busy.reduction);
  const std::array<std::pair<double, const char*>, 5> parts{{{busy.bytes, "memory"},
                                                             {busy.operations, "arithmetic"},
                                                             {busy.launch, "launches"},
                                                             {halos, "halos"},
                                                             {busy.reduction, "reductions"}}};
  return std::max_element(parts.begin(), parts.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

double efficiency(const ScalingPoint& point, const ScalingPoint& of_one) {
  return point.updates_per_second() /
         (static_cast<double>(point.devices) * of_one.updates_per_second());
}

std::vector<ScalingPoint> predict_strategies(const ScalingQuestion& question, Index devices) {
  const MachineRates& machine = question.machine;
  const PaperRanks ranks = ranks_for(devices, machine);
  const GridState& grid = *question.runs.front().grid->root;
  require(grid.coarser.empty() || devices == 1, fmt::format("{} devices are too many", devices),
          "steps on several grids are predicted on one device alone",
          "ask for one, or for a case of one grid");
  const auto told_of = [&](const GridState& whole) {
    return question.is_cut_freely ? std::nullopt : cut_as_told(whole);
  };
  const StepModel model = step_model_of(grid, machine);
  Index3 factors{1, 1, 1};
  if (question.is_weak) {
    const auto told = told_of(grid);
    factors =
        told ? told->process_grid() : repetitions(grid, ranks.nodes, ranks.devices_each, model);
  }
  std::vector<PlacedRun> runs;
  for (const StraightRun& run : question.runs) {
    StraightRun larger = on_larger_grid(run, factors);
    const GridState& root = *larger.grid->root;
    const StepModel model_of_root = step_model_of(root, machine);
    auto told = told_of(root);
    require(!told || told->patches() == devices,
            fmt::format("{} {} not fit", devices, devices == 1 ? "device does" : "devices do"),
            told ? fmt::format("the case cuts the grid into {} patches", told->patches()) : "",
            "leave out run.patches and run.cuts, or ask for as many devices");
    if (told) place_ranks(*told, ranks.nodes, model_of_root);
    const Decomposition decomposition =
        told ? std::move(*told)
             : decomposition_on_paper(root, ranks.nodes, ranks.devices_each, model_of_root);
    PaperRank rank = rank_on_paper(decomposition, root, ranks.nodes, machine);
    add_coarser(rank, root);
    runs.push_back({std::move(larger), std::move(rank)});
  }
  const Decomposition& decomposition = runs.front().rank.patches.decomposition(0);
  require(decomposition.patches() == devices, fmt::format("{} devices are too many", devices),
          fmt::format("the grid is cut into {} pieces at most", decomposition.patches()),
          "ask for fewer, or for weak scaling");
  ScalingPoint point;
  point.devices = devices;
  point.nodes = ranks.nodes.back() + 1;
  point.cells = runs.front().run.grid->root->cells;
  point.pieces = decomposition.process_grid();
  point.bytes_per_device = bytes_per_device(runs);
  const auto repeating = std::find_if(runs.begin(), runs.end(),
                                      [](const PlacedRun& placed) { return placed.run.repeats; });
  std::vector<ScalingPoint> points;
  for (const StepPlan& plan :
       plans_for(repeating == runs.end() ? runs.front() : *repeating, machine)) {
    point.plan = plan;
    try {
      point.step = predict_all(runs, plan, machine);
    } catch (const Error&) {  // halos wider than patches
      if (points.empty()) throw;
      continue;
    }
    points.push_back(point);
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.step.seconds < b.step.seconds; });
  return points;
}

StraightRun on_larger_grid(const StraightRun& run, Index3 factors) {
  if (factors == Index3{1, 1, 1}) return run;
  const GridState& old = *run.grid;
  require(!old.active, "a larger grid is refused", "active cells are those of one geometry",
          "predict for the grid that there is");
  const auto grid = std::make_shared<GridState>();
  grid->context = old.context;
  grid->spacing = old.spacing;
  grid->origin = old.origin;
  grid->boundary = old.boundary;
  grid->fields = old.root->fields;
  grid->is_whole = old.is_whole;
  for (int a = 0; a < 3; ++a) grid->cells[a] = factors[a] * old.cells[a];
  StraightRun larger = run;
  larger.grid = grid;
  larger.slots = {};
  for (int slot = 0; slot < run.slots.size(); ++slot) {
    larger.slots.add(run.slots.record(slot), grid);
  }
  for (std::shared_ptr<Stage>& stage : larger.stages) {
    stage = std::make_shared<Stage>(*stage);
    if (stage->grid) stage->grid = grid;
    for (StageArgument& argument : stage->arguments) {
      if (argument.grid) argument.grid = grid;
    }
    if (!stage->region) continue;
    for (int a = 0; a < 3; ++a) {
      const Index added = grid->cells[a] - old.cells[a];
      if (stage->region->upper[a] >= old.cells[a]) stage->region->upper[a] += added;
      if (stage->region->lower[a] >= old.cells[a]) stage->region->lower[a] += added;
    }
  }
  return larger;
}

BalancePrediction predict_balance(const ScalingQuestion& question, const ScalingPoint& point,
                                  const DeviceRates& cpu) {
  ScalingQuestion on_cpu = question;
  on_cpu.machine.device = cpu;
  const ScalingPoint of_cpu = predict_strategies(on_cpu, 1).front();
  const Index devices = point.devices / point.nodes;
  const auto of_patch = [&](int axis) {
    return (point.cells[axis] + point.pieces[axis] - 1) / point.pieces[axis];
  };
  BalancePrediction balance;
  balance.planes_of_node = devices * of_patch(2);
  const auto planes = static_cast<double>(balance.planes_of_node);
  const auto cells = static_cast<double>(balance.planes_of_node * of_patch(0) * of_patch(1));
  const double of_gpus = point.step.seconds;
  const double of_threads =
      of_cpu.step.seconds * cells / static_cast<double>(product(of_cpu.cells));
  const LinkModel& link = question.machine.host_copy;
  const double plane = point.bytes_per_device * static_cast<double>(devices) / planes;
  const double exchange = link.is_slow() ? 2 * seconds_of(link, plane) : 0;
  balance.seconds = of_gpus;
  const double best = planes * of_gpus / (of_threads + of_gpus);
  for (const double own : {std::floor(best), std::ceil(best)}) {
    if (own < 1 || own >= planes) continue;
    const double seconds =
        std::max({exchange, of_threads * own / planes, of_gpus * (planes - own) / planes});
    if (seconds >= balance.seconds) continue;
    balance.seconds = seconds;
    balance.planes = static_cast<Index>(own);
  }
  return balance;
}

}  // namespace goban
