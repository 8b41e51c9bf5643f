#pragma once
// What a run measured, for reports.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "goban/backend/gpu_backend.hpp"
#include "goban/base/process/start_times.hpp"
#include "goban/domain/data/balancing.hpp"
#include "goban/domain/engine/plan_report.hpp"
#include "goban/performance/model/step_prediction.hpp"
#include "goban/simulation/checkpointer/checkpoint_measures.hpp"
#include "goban/simulation/report/run_facts.hpp"
#include "goban/simulation/run_report.hpp"

namespace goban {

/// A number over all ranks.
struct Spread {
  double least = 0, mean = 0, most = 0;
  int rank_of_most = 0;
};

/// Pairs of ranks between which halos go, by the way they take.
struct TransportCounts {
  Index peer = 0, nccl = 0, mpi = 0, host = 0;
};

/// Steps that ran as all later ones do: plans to run them had been chosen, and nothing was
/// compiled, tried or recorded meanwhile. What they took of a run's times.
struct SteadySteps {
  Index steps = 0;
  double seconds = 0;
  TimeSplit split;
  double fastest = 0;  ///< seconds a step of those that ran together in least time

  double seconds_of_part(std::size_t n) const {
    return split.parts[n] / static_cast<double>(steps);
  }
};

/// Seconds are of the calling thread.
struct RunMeasures {
  StartTimes start;            ///< start of this rank
  double results_seconds = 0;  ///< seconds of this rank after the last step: results, checksums
  double loop_seconds = 0;     ///< seconds of advancing in time: sweeps and halos
  double compute_seconds = 0, halo_seconds = 0, output_seconds = 0, checkpoint_seconds = 0;
  SteadySteps steady;                        ///< steady steps of this rank
  Spread compute, halo, output, checkpoint;  ///< the same on every rank
  Spread peak_memory;                        ///< bytes a process ever had of the machine's memory
  CheckpointMeasures checkpoints;            ///< checkpoints of this rank
  TransportCounts transports;
  CompiledKernels kernels;    ///< kernels of this process
  double copy_bandwidth = 0;  ///< bytes/s; 0: not measured
  StepPrediction predicted;   ///< a step as it was run at last, by the rank that takes longest
  double predicted_output_seconds = 0;  ///< 0: nobody knows
  std::vector<PlanReport> plans;        ///< plans to run a step, if there was a choice
  std::vector<std::pair<std::string, std::uint64_t>> checksums;
  std::vector<std::string> files;      ///< relative to the directory
  std::string trace;                   ///< what the trace holds; empty: there is none
  std::vector<BalanceReport> balance;  ///< how grids were cut on devices of different speed

  double updates_per_second(const RunFacts& facts, const RunReport& report) const;
  /// Seconds that the performance model predicts for the loop; 0: it knows nothing of the run.
  double predicted_loop_seconds(Index steps) const {
    return static_cast<double>(steps) * predicted.seconds;
  }
};

/// Time split, memory, transports, checksums of all live fields, files. Collective.
void complete(RunMeasures& measures, const RunPlan& plan, const Engines& engines);

/// What a step of the rank that takes longest is predicted to take, with the copy bandwidth as it
/// was measured, 0 if it was not; 0 s where devices of several kinds compute. Collective.
StepPrediction predicted_step(Engine& step, GridState& grid, double copy_bandwidth);

/// Bytes per second of copies by what computes the grid: its GPUs together, or the threads of every
/// rank at once; 0 where it cannot be measured. Takes no more memory on a machine than the run
/// does, or 512 MiB. Collective.
double measured_copy_bandwidth(GridState& grid, const RunFacts& facts);

}  // namespace goban
