#pragma once
// What a step of a program takes on a machine, before anything has run and without the machine: its
// commands are made on paper and their costs followed through time.

#include <map>
#include <string>
#include <vector>

#include "goban/performance/model/command_cost.hpp"
#include "goban/performance/model/step_plan.hpp"
#include "goban/performance/model/straight_run.hpp"

namespace goban {

/// One of the ranks that share a grid: its patches and what computes them.
struct PaperRank {
  Patches patches;
  std::vector<Bindings::Computer> computers;  ///< per patch of the rank
  bool has_queues = false;                    ///< executors work beside the host
  std::map<std::pair<MessageEnd, HaloSide>, ChannelBinding> channels;
  std::vector<int> nodes;  ///< per rank
  int rank = 0;
  bool is_mixed = false;             ///< devices beside the CPU
  std::array<bool, 3> stores_far{};  ///< axes along which sweeps store into halos of other ranks
  std::vector<int> patches_with_peers{};
  bool is_part = false;  ///< it computes alone what was gathered from many
};

/// The rank in the middle of the process grid, which has all neighbours there can be: a process a
/// node for GPUs, each with its devices, or a process a device. `coarser`: how the grids of the
/// family are cut that follow the first, by number; as many as there are.
PaperRank rank_on_paper(const Decomposition& decomposition,
                        const std::vector<Decomposition>& coarser, const GridState& grid,
                        const std::vector<int>& nodes, const MachineRates& machine);

/// A straight run of stages, as a part of a step.
struct PredictedPart {
  std::string stages;  ///< "first to last"
  Index3 cells{};
  double times = 0;    ///< how often it runs in a step
  double seconds = 0;  ///< seconds that all its runs in a step take
};

/// Seconds a step, on average over a cycle.
struct StepPrediction {
  double seconds = 0;
  double solver = 0;  ///< seconds of these in loops that end by a condition
  CommandCost
      busy;  ///< costs of the device that is busy longest; `copy`, `message`: meanwhile, too
  std::vector<PredictedPart> parts{};
  bool is_alone = false;  ///< one device computes all of the grid
  double computes() const { return busy.operations + busy.bytes + busy.launch; }
  /// Halos, waits for them and reductions, as far as nothing computes meanwhile.
  double exposed() const { return seconds > computes() ? seconds - computes() : 0; }
  /// Adds a part of a step, as often as it is in one.
  void add(const StepPrediction& part, const StraightRun& run, const MachineRates& machine);
};

/// What sweeps of a step move and compute.
struct SweepWork {
  double bytes = 0;  ///< to and from memory, where each value is moved once a sweep
  double flops = 0;
};
/// Adds up the sweeps of a step without redundant ones, as a rank runs it.
SweepWork sweep_work(const StraightRun& run, const PaperRank& rank);

/// A stage as one of the points of a roofline: what its sweeps compute and move in a step, and how
/// long they take. Passes of several steps are not among them.
struct KernelWork {
  std::string stage;
  double flops = 0, bytes = 0;
  double seconds = 0;
};
/// The sweeps of a run, one entry a stage, in single steps.
std::vector<KernelWork> kernel_work(const StraightRun& run, const PaperRank& rank,
                                    const MachineRates& machine);

/// Errors (ExitCode::usage): halos wider than patches.
StepPrediction predict_step(const StraightRun& run, const StepPlan& plan, const PaperRank& rank,
                            const MachineRates& machine);

}  // namespace goban
