#pragma once
// Drives a program through time: files, pictures, series, checkpoints, signals, reports.

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "goban/program/program.hpp"
#include "goban/simulation/any_field.hpp"
#include "goban/simulation/options.hpp"
#include "goban/simulation/output/column.hpp"
#include "goban/simulation/run.hpp"
#include "goban/simulation/run_report.hpp"
#include "goban/simulation/when.hpp"

namespace goban {

struct FilesWritten;
struct RunPlan;
class SimulationOutput;

/// One run of one program. Everything it is to do is said first, in a chain; then run().
///
///   Simulation simulation(grid, step, {.steps = 1000});
///   simulation.output({u}, every(100)).checkpoint(minutes(5)).progress();
///   simulation.run();
///
/// Outputs act on the initial state, too, where their schedule starts at 0; checkpoints do not. On
/// a step, in this order: adjustments, stop condition, outputs and callbacks as they were added,
/// statistics and averages, checkpoint. A restarted run leaves the same files, row by row, as one
/// that was never stopped.
/// Grid, fields and parameters must outlive it.
class Simulation : public Run {
 public:
  /// Errors (usage): neither steps nor end nor stop_when() says when to end.
  Simulation(Grid& grid, Program step, SimulationOptions options = {});
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Whole fields: <name>_<fields>.0000100.vtkhdf and the index <name>_<fields>.xdmf.
  Simulation& output(std::vector<AnyField> fields, When when, OutputOptions options = {});
  /// A slice with a colour bar: <name>_<field>_<axis>.0000100.png.
  Simulation& picture(AnyField field, PictureOptions options, When when);
  /// Numbers over time: <name>_<its name>.csv with the columns step, time and these.
  Simulation& series(const std::string& name, std::vector<Column> columns, When when);
  /// Fields at points over time, interpolated between cells: <name>_probes.csv, a column for each
  /// field, component and point.
  Simulation& probe(const std::vector<AnyField>& fields, const std::vector<Position>& positions,
                    When when);
  /// Fields along a line, interpolated between cells: <name>_<its name>.0000100.csv with a row for
  /// every point.
  Simulation& line(const std::string& name, std::vector<AnyField> fields,
                   const LineOptions& options, When when);
  /// Fields on a plane, interpolated between its neighbouring layers of cells: files as of output()
  /// with one layer, <name>_<its name>.0000100.vtkhdf.
  Simulation& plane(const std::string& name, std::vector<AnyField> fields,
                    const PlaneOptions& options, When when);
  /// Mean, variance, minimum and maximum of every cell over the samples taken at `when` from
  /// simulated time `from` on; written with snapshots and at the end as
  /// <name>_<field>_statistics.0000100.vtkhdf. They take 40 bytes per cell and component.
  Simulation& statistics(AnyField field, When when, double from = 0);
  /// Means and variances of fields over planes across an axis and over the samples taken at `when`,
  /// and covariances of some: written with snapshots and at the end as
  /// <name>_<its name>.0000100.csv with a row for every plane.
  Simulation& averages(const std::string& name, std::vector<AnyField> fields,
                       const AverageOptions& options, When when);
  /// An output of the user's own.
  Simulation& add(std::unique_ptr<SimulationOutput> output);

  /// Saves the whole state to <directory>/chk/0000100. Signals, --max-time and control files save
  /// also where this was never asked for, if there is a directory.
  Simulation& checkpoint(When when, CheckpointPolicy policy = {});
  /// State that the program does not show: parameters used by host functions only.
  template <class T>
  Simulation& keep(const Parameter<T>& parameter) {
    return keep_record(parameter.record());
  }

  /// Banner, live line and end report on standard output.
  Simulation& progress();

  /// A page in a browser, whose address is said when the run starts: SimulationOptions::live.
  Simulation& live(const std::string& at = "auto");

  /// Ends the run when the condition holds; looked at every `check_every` steps, after one run of
  /// `check`, whose fields may be the simulation's. The run fails (ExitCode::diverged) where the
  /// parameter is NaN.
  Simulation& stop_when(Condition condition, Index check_every, Program check);
  Simulation& stop_when(Condition condition, Index check_every);

  /// Changes the state between steps: called every so many steps, from 0 on, before anything looks
  /// at the state there. A run that restarts calls it again on its first step, where it should find
  /// nothing to do. What it knows beside fields and parameters of the step must be kept (keep()).
  Simulation& adjust(Index every, std::function<void(const Clock&)> change);
  /// Calls a function of the user's.
  Simulation& on(When when, std::function<void(const Clock&)> callback);
  /// Fields and parameters that are computed from others only when something shows them: runs
  /// before outputs that show what it writes, or what a later program derives from that, before
  /// callbacks and before results().
  Simulation& derive(Program program);
  /// The fields that describe() lists as those that outputs can show.
  Simulation& shows(std::vector<AnyField> fields);
  /// Fills `results` of the summary; called when the run is over. `units` of what has one, by name:
  /// for the report at the end, and under `units` in the summary.
  Simulation& results(std::function<void(nlohmann::ordered_json&)> callback,
                      const std::map<std::string, std::string>& units = {});
  /// What is wrong with the results, called as results() is; empty: nothing. A line says so when
  /// the run is over, and it stands under `warnings` in the summary.
  Simulation& warn(std::function<std::string()> warning);

  /// Runs to the end. May be called once.
  RunStatus run();
  RunStatus execute() override { return progress().run(); }

  void set(const RunRequest& request) override;
  void check() override;

  /// Checks everything and tells what would be done: grid, memory, schedule, files, time estimate.
  /// Makes no files.
  std::string dry_run() override;
  /// Goes through what a run computes, for so many steps, and makes no files. For GPUs that are not
  /// there (Runtime::rehearse_gpus), whose kernels it has compiled; what it computes is lost.
  void rehearse(Index steps);
  /// Footprints, halos, the schedule chosen and why; what happens when.
  std::string describe() override;

  /// The files that so many steps write.
  FilesWritten files_written(Index steps) const;

  SimulationOptions& options();
  const SimulationOptions& options() const;
  Grid& grid();
  const Program& program() const;
  /// Complete when run() has returned.
  const RunReport& report() const { return report_; }

 private:
  Simulation& keep_record(const std::shared_ptr<ParameterRecord>& parameter);

  std::unique_ptr<RunPlan> plan_;
  RunReport report_;
  bool has_run_ = false;
};

}  // namespace goban
