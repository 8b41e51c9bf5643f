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
};

/// The rank in the middle of the process grid, which has all neighbours there can be: a process a
/// node for GPUs, each with its devices, or a process a device.
PaperRank rank_on_paper(const Decomposition& decomposition, const GridState& grid,
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
  CommandCost busy;   ///< costs of the device that is busy longest; `message`: also while it is
  std::vector<PredictedPart> parts{};
  bool is_alone = false;  ///< one device computes all of the grid
  double computes() const { return busy.operations + busy.bytes + busy.launch; }
  /// Halos, waits for them and reductions, as far as nothing computes meanwhile.
  double exposed() const { return seconds > computes() ? seconds - computes() : 0; }
  /// Adds a part of a step, as often as it is in one.
  void add(const StepPrediction& part, const StraightRun& run, const MachineRates& machine);
};

/// Errors (ExitCode::usage): halos wider than patches.
StepPrediction predict_step(const StraightRun& run, const StepPlan& plan, const PaperRank& rank,
                            const MachineRates& machine);

}  // namespace goban
