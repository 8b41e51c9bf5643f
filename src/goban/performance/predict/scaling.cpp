#include "goban/performance/predict/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "goban/backend/pass_length.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/decomposition/choose.hpp"
#include "goban/domain/decomposition/grid_cost.hpp"
#include "goban/domain/decomposition/order_list.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/performance/model/straight_run.hpp"
#include "goban/performance/predict/placing.hpp"

namespace goban {
namespace {

struct ListOnPaper {
  StraightRun run;  ///< with what its stages would read of other patches
  Decomposition cut;
  ListCut measured;
};

int reach_of(const Stage& stage) {
  int reach = 0;
  for (const ListRead& read : stage.list_reads) {
    for (const int along : read.offset) reach = std::max(reach, std::abs(along));
  }
  return reach;
}

/// The list of a run ordered and cut for so many devices a rank and these nodes of ranks, the
/// cells that patches would read of each other counted.
ListOnPaper list_on_paper(const StraightRun& run, const std::vector<int>& nodes,
                          Index devices_per_rank, const StepModel& model) {
  const GridState& old = *run.grid;
  GridState grid;
  grid.context = old.context;
  grid.cells = old.cells;
  grid.boundary = old.boundary;
  grid.active = old.active;
  const auto patches = static_cast<int>(std::ssize(nodes) * devices_per_rank);
  grid.list = ordered_list(old, patches, *self_communicator());
  ListOnPaper paper{run, decomposition_on_paper(grid, nodes, devices_per_rank, model), {}};
  int reach = 1;
  for (const auto& stage : run.stages) reach = std::max(reach, reach_of(*stage));
  Decomposition of_one_rank;
  of_one_rank.cuts = paper.cut.cuts;
  const ListHalos halos(grid, of_one_rank, 0, 0, reach);
  paper.measured = list_cut(paper.cut, halos.ghosts(reach));
  for (std::shared_ptr<Stage>& stage : paper.run.stages) {
    if (stage->list_reads.empty()) continue;
    stage = std::make_shared<Stage>(*stage);
    stage->list_ghosts = list_cut(paper.cut, halos.ghosts(reach_of(*stage))).most_read;
  }
  return paper;
}

/// A run and the rank that it is predicted for.
struct PlacedRun {
  StraightRun run;
  PaperRank rank;
  double gathering = 0;  ///< seconds until its grid is on one device, and back, each time
};

/// Adds a plan and, where there are neighbours, the same with both kinds of overlap.
void add_overlapped(StepPlan plan, bool has_neighbors, std::vector<StepPlan>& plans) {
  plans.push_back(plan);
  if (!has_neighbors) return;
  for (const Overlap overlap : {Overlap::one_kernel, Overlap::two_kernel}) {
    plan.overlap = overlap;
    plans.push_back(plan);
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
/// R without passes is not among them: see predict_cycles().
std::vector<StepPlan> plans_for(const PlacedRun& placed, const MachineRates& machine) {
  std::vector<StepPlan> plans;
  const bool has_neighbors = placed.rank.patches.decomposition(0).patches() > 1;
  add_overlapped({}, has_neighbors, plans);
  const auto without_refused = [&] {
    std::erase_if(plans,
                  [&](const StepPlan& plan) { return !is_allowed(plan, placed, has_neighbors); });
    return plans;
  };
  if (!placed.run.repeats || placed.run.grid->active) return without_refused();
  const Settings& settings = placed.run.grid->context->settings();
  if (!machine.device.caches_planes || placed.run.bytes_told > 0) return without_refused();
  const int longest = machine.device.is_gpu ? longest_pass_on_devices(placed.run.stages, true)
                                            : longest_pass_on_cpus(placed.run.stages);
  for (int steps = 2; steps <= longest; ++steps) {
    plans.push_back({.steps_per_exchange = steps, .steps_per_pass = steps});
  }
  if (const int pass = settings.temporal_blocking; pass > 1) {
    const int told = settings.steps_per_exchange;
    add_overlapped({.steps_per_exchange = told > 0 ? told : pass, .steps_per_pass = pass},
                   has_neighbors, plans);
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
      if (placed.rank.is_part && placed.run.slots.grid(slot) != placed.run.grid) continue;
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
  std::map<const GridState*, double> gathering;  // a visit may be several runs
  for (const PlacedRun& placed : runs) {
    const StepPlan own = placed.run.repeats ? plan : StepPlan{.overlap = plan.overlap};
    const StepPrediction one = predict_step(placed.run, own, placed.rank, machine);
    all.add(one, placed.run, machine);
    double& most = gathering[placed.run.grid.get()];
    most = std::max(most, placed.run.times * placed.gathering);
  }
  for (const auto& [grid, seconds] : gathering) all.seconds += seconds;
  return all;
}

/// Adds a way to run the step, unless halos would be wider than patches: then it says why.
std::optional<Error> add_point(ScalingPoint point, const StepPlan& plan,
                               const std::vector<PlacedRun>& runs, const MachineRates& machine,
                               std::vector<ScalingPoint>& points) {
  point.plan = plan;
  try {
    point.step = predict_all(runs, plan, machine);
  } catch (const Error& error) {
    return error;
  }
  points.push_back(std::move(point));
  return {};
}

/// Adds what R steps an exchange take: ever more, as long as they are not much slower than fewer or
/// slower twice, or as many as the settings say.
void predict_cycles(const ScalingPoint& point, const std::vector<PlacedRun>& runs,
                    const PlacedRun& placed, const MachineRates& machine,
                    std::vector<ScalingPoint>& points) {
  constexpr double much = 1.2;
  constexpr int longest[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  const int told = placed.run.grid->context->settings().steps_per_exchange;
  const bool has_messages = !placed.rank.channels.empty();
  if (!placed.run.repeats || placed.run.grid->active || (told == 0 && !has_messages)) return;
  double best = std::numeric_limits<double>::infinity();
  for (const ScalingPoint& one : points) {
    if (one.plan.steps_per_exchange == 1) best = std::min(best, one.step.seconds);
  }
  int slower = 0;  // one after the other
  for (const int steps : told > 0 ? std::vector{told} : std::vector(longest, std::end(longest))) {
    std::vector<StepPlan> plans;
    add_overlapped({.steps_per_exchange = steps},
                   placed.rank.patches.decomposition(0).patches() > 1, plans);
    double least = std::numeric_limits<double>::infinity();
    for (const StepPlan& plan : plans) {
      if (steps == 1 || !is_allowed(plan, placed, plans.size() > 1)) continue;
      if (add_point(point, plan, runs, machine, points)) continue;
      least = std::min(least, points.back().step.seconds);
    }
    slower = least < best ? 0 : slower + 1;
    if (slower == 2 || least > much * best) return;
    best = std::min(best, least);
  }
}

/// The runs of a program on so many devices, and where they are.
std::vector<PlacedRun> place_runs(const ScalingQuestion& question, const PaperRanks& ranks,
                                  ScalingPoint& point) {
  const MachineRates& machine = question.machine;
  const Index devices = point.devices;
  std::vector<PlacedRun> placed;
  for (StraightRun run : question.runs) {
    const GridState& root = *run.grid->root;
    const StepModel model = step_model_of(root, machine);
    auto told = question.is_cut_freely ? std::nullopt : cut_as_told(root);
    require(!told || told->patches() == devices,
            fmt::format("{} {} not fit", devices, devices == 1 ? "device does" : "devices do"),
            told ? fmt::format("the case cuts the grid into {} patches", told->patches()) : "",
            "leave out run.patches and run.cuts, or ask for as many devices");
    if (told) place_ranks(*told, ranks.nodes, model);
    if (root.active && devices > 1 && !told) {
      ListOnPaper paper = list_on_paper(run, ranks.nodes, ranks.devices_each, model);
      run = std::move(paper.run);
      told = std::move(paper.cut);
      point.list = paper.measured;
    }
    const Placing placing(
        root,
        told ? std::move(*told)
             : decomposition_on_paper(root, ranks.nodes, ranks.devices_each, model),
        ranks, machine);
    const Index pieces = placing.finest().patches();
    require(pieces == devices, fmt::format("{} devices are too many", devices),
            fmt::format("the grid is cut into {} pieces at most", pieces),
            "ask for fewer, or for weak scaling");
    point.pieces = placing.finest().process_grid();
    PaperRank rank = placing.rank_for(run);
    const double gathering = placing.gathering(run);
    placed.push_back({std::move(run), std::move(rank), gathering});
  }
  return placed;
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
  const PaperRanks ranks(devices, machine);
  ScalingPoint point;
  point.devices = devices;
  point.nodes = ranks.nodes.back() + 1;
  point.cells = question.runs.front().grid->root->cells;
  const std::vector<PlacedRun> runs = place_runs(question, ranks, point);
  point.bytes_per_device = bytes_per_device(runs);
  const auto repeating = std::find_if(runs.begin(), runs.end(),
                                      [](const PlacedRun& placed) { return placed.run.repeats; });
  const PlacedRun& leading = repeating == runs.end() ? runs.front() : *repeating;
  std::vector<ScalingPoint> points;
  std::optional<Error> refusal;
  for (const StepPlan& plan : plans_for(leading, machine)) {
    if (auto error = add_point(point, plan, runs, machine, points)) refusal = std::move(error);
  }
  predict_cycles(point, runs, leading, machine, points);
  if (points.empty()) {
    throw refusal
        ? Error(*refusal)
        : Error(ExitCode::usage, "no plan is left to run a step by",
                "the settings of [run] exclude each other or halos are wider than patches",
                "leave out run.steps_per_exchange, run.temporal_blocking or run.overlap");
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.step.seconds < b.step.seconds; });
  return points;
}

std::vector<KernelWork> kernels_of_one(const ScalingQuestion& question) {
  ScalingQuestion alone = question;
  alone.is_cut_freely = true;
  ScalingPoint point;
  std::vector<KernelWork> all;
  for (const PlacedRun& placed : place_runs(alone, PaperRanks(1, question.machine), point)) {
    for (const KernelWork& one : kernel_work(placed.run, placed.rank, question.machine)) {
      const auto same = [&](const KernelWork& other) { return other.stage == one.stage; };
      auto at = std::find_if(all.begin(), all.end(), same);
      if (at == all.end()) at = all.insert(all.end(), {one.stage, 0, 0, 0});
      at->flops += one.flops;
      at->bytes += one.bytes;
      at->seconds += one.seconds;
    }
  }
  return all;
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
