#pragma once
// What a run says of itself: when it starts, before it is begun, when it is over, and to programs.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "goban/simulation/files_written.hpp"
#include "goban/simulation/report/run_measures.hpp"

namespace goban {

/// The banner, of at most 20 lines: grid, patches, threads, precision, memory, schedule, files.
/// Ends in a newline.
std::string banner(const RunFacts& facts);

/// The steps that end the run, or at most will; negative where neither steps nor a time says.
Index steps_to_take(const RunPlan& plan);

/// The files that so many steps write; nothing if they are negative.
FilesWritten files_written(const RunPlan& plan, const Engines& engines, Index steps);

/// Lines as of the banner: time step, number of steps, how long they take at `copy_bandwidth`
/// (bytes/s; 0: unknown), and what outputs and checkpoints take on the disk.
std::string forecast(const RunPlan& plan, Engines& engines, const RunFacts& facts,
                     double copy_bandwidth);

/// A compact table; ends in a newline. It has the numbers, words and small tensors of `results`.
std::string end_report(const RunFacts& facts, const RunReport& report, const RunMeasures& measures,
                       const nlohmann::ordered_json& results);

/// Keys are stable. Counts and rates are of this process, not of the runs it continued:
///   steps                    advanced here; updates_per_second = cells x steps / loop_seconds
///   loop_seconds             spent advancing in time, without output and checkpoints
///   start_seconds            of the first rank, before the first step since the process began:
///                            all, and of these what was spent on memory, on filling fields, on
///                            compiling kernels, on measuring the copy bandwidth
///   results_seconds          of the first rank, after the last step
///   copy_bandwidth           null where it was not measured (runs on CPUs of less than ten seconds
///                            or within the caches); then roofline_fraction is, too
///   predicted_loop_seconds   by the performance model (docs/model.md), null where it knows nothing
///   predicted_step           of a step, and what of it the busiest device spends on what; messages
///                            travel beside that
///   steady                   steps after all trials, compilation and recording and what they took
///                            on the first rank, to be compared with predicted_step; fastest: of
///                            those that ran together, seconds a step; solver: loops until a
///                            condition holds. null: there were none
///   parts                    straight runs of stages that a step consists of: how often they run
///   in
///                            it, seconds a step as predicted and, of steady steps of CPUs,
///                            measured
///   plans                     to run a step that there were to choose from, seconds a step: those
///                            dropped were not tried, by what was predicted
///   predicted_output_seconds for outputs whose schedule counts steps or simulated time
///   transports               pairs of ranks between which halos go, by the way they take
///   halo_precision           what halos are rounded to between ranks
///   subnormals               keep, or flush: taken for zero on CPUs
///   time_split               over ranks, seconds of the calling thread
///   list                     of active cells between patches: cells of the largest over the mean,
///                            less 1; cells of others that patches read, all together and at most
///   predicted_halo_share     of compute and halo in time_split, if a step took what was
///                            predicted when the grid was cut; 0: one patch
///   peak_memory              over ranks, resident bytes, those of fields in place once
///   kernels                  of GPUs: compiled by the first rank while it ran, loaded as kept by
///                            earlier runs or other ranks, seconds that took
///   ended_by                 "steps", "end", "residual < 1e-06", "SIGTERM", "max time", "STOP",
///                            "live page"
///   unwritten                outputs and checkpoints that failed, if any were gone without
///   restarted_from           step of the checkpoint; only in restarted runs
nlohmann::ordered_json summary_of(const RunFacts& facts, const RunReport& report,
                                  const RunMeasures& measures, nlohmann::ordered_json results);

}  // namespace goban
