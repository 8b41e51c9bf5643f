#pragma once
// Runs a program on the domains of its grids: it analyses the stages, makes schedules and runs
// cycles.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "goban/program/program.hpp"
#include "goban/program/schedule.hpp"
#include "goban/program/step_clock.hpp"

namespace goban {

class Domain;
namespace reference {
class Reference;
}
struct BalanceReport;
struct DeviceLoop;
class DeviceNumbers;
struct MachineRates;
struct StepPrediction;
struct StraightRun;
struct SweepWork;
struct StepPlan;
struct PlanOffer;
struct PlanReport;
enum class Trials : std::uint8_t;

/// The time that each part of a step has taken so far, in seconds of the calling thread.
struct TimeSplit {
  double compute = 0, halo = 0;
  double solver = 0;            ///< seconds of both within loops that run until a condition holds
  std::vector<double> parts{};  ///< seconds of each straight run of stages, in the program's order

  /// Adds the times of another split, multiplied by `factor`.
  void add(const TimeSplit& other, double factor = 1);
};

class Engine {
 public:
  /// Cuts the program into segments and checks its stages. Throws an Error (ExitCode::usage) for a
  /// stage that reads what it writes or mixes grids of which neither is coarsened from the other,
  /// for swapped fields that are not alike, and for boundary conditions that contradict the grid's
  /// periodicity.
  explicit Engine(Program program);
  ~Engine();

  /// Chooses the execution plan, makes the schedules, and allocates fields with the halos that
  /// these need. run() calls it; it does its work again after a grid was redistributed. Throws an
  /// Error (ExitCode::usage) if the settings force more steps per exchange than the smallest patch
  /// allows.
  void prepare();
  /// Runs this many steps and advances the clock with every step. When it returns, asynchronous
  /// executors may still be working; see synchronize().
  void run(Index steps, StepClock& clock);
  /// Does what run() does before its first step: prepares, and compiles and loads the kernels, also
  /// those of the shorter cycles that end runs of these numbers of steps.
  void prepare_run(const StepClock& clock, const std::vector<Index>& runs = {});
  /// Waits until all submitted work is done and moves samples to the host. Must be called before
  /// grids are redistributed. Collective if the program takes samples.
  void synchronize();

  /// These return the chosen execution plan of the segment with the longest cycle: steps per
  /// exchange, steps per pass, and overlap. Unless the settings force them, plans are compared in
  /// the first steps of a run and the fastest is kept.
  int steps_per_exchange() const;
  int steps_per_pass() const;
  Overlap overlap() const;
  /// Returns the plans for that segment if there was a choice: first those that were compared, then
  /// those that were not tried.
  std::vector<PlanReport> plans() const;
  /// Lets the engine compare all plans, however long the trials take, except for those that are
  /// predicted to be much slower. Must be called before anything is prepared.
  void try_all_plans();
  /// Ends all trials: the best plan so far is kept.
  void end_trials();
  /// Returns whether all trials are over: those of execution plans and those of cuts between
  /// devices.
  bool is_settled();
  /// Returns why temporal blocking is off in the segment with the longest cycle; empty if it is on.
  const std::string& pass_refusal() const;
  /// Returns why devices do not replay recorded cycles of that segment; empty if they do, or if
  /// executors do not queue work.
  std::string recording_refusal() const;
  /// Returns the number of recorded cycles of all segments that were replayed so far.
  Index cycles_replayed() const { return cycles_replayed_; }
  /// Counts how often a phase was run for the first time or recorded. Later steps are faster, as
  /// they need neither.
  Index preparations() const { return preparations_; }

  /// Returns the fields whose values at the end of a step matter: those that are saved and shown.
  std::vector<std::shared_ptr<FieldRecord>> live_fields() const;
  std::vector<std::shared_ptr<FieldRecord>> fields() const;
  /// Returns the straight runs of stages in a step, of which predictions are made. Loops that run
  /// until a condition holds count with this number of rounds.
  std::vector<StraightRun> straight_runs(double rounds = 1) const;
  /// Predicts the time of a step under the present plan on this rank. Loops that run until a
  /// condition holds count with the mean number of rounds so far, or one. The prediction is 0 s for
  /// the reference backend, which has no schedules. Schedules must have been made.
  StepPrediction predicted_step(const MachineRates& machine);
  /// Returns the sweeps of one step, for reports.
  std::vector<std::shared_ptr<const Stage>> sweeps() const;
  /// Returns the bytes and floating-point operations of a step's sweeps per cell of the finest
  /// grid, on one patch that covers the whole grid.
  SweepWork work_per_update() const;
  std::size_t bytes_needed();
  TimeSplit time_split() const { return split_; }
  /// Returns the width, in cells, of the widest halo of the chosen cycles on this domain, along any
  /// axis.
  Index widest_halo(const Domain& domain) const;
  /// Returns the reports on grids whose cuts have been moved and will not move any more.
  std::vector<const BalanceReport*> balance() const;

  /// Describes stages, footprints, halos and the chosen schedule with the reasons for it, as text.
  std::string describe();
  /// Returns the schedule of a cycle of the first segment, for reports and tests.
  const Schedule& schedule();

  const Program& program() const { return program_; }

 private:
  struct Segment;
  struct Loop;
  struct Item;
  struct Block;
  enum class Repeats : std::uint8_t {
    are_loops,
    may_be_unrolled  ///< loops become segments where nothing happens between their rounds
  };
  void cut_program();
  Block make_block(const Program& program, Repeats repeats);
  void find_live();
  void choose_plans();
  void choose_plans(Segment& segment) const;
  void make_schedules();
  static void distribute(Segment& segment);
  void keep_columns_whole();
  Domain* unbalanced();
  void find_halos();
  /// Returns the segment with the longest cycle; null if the program has no sweeps.
  const Segment* leading_segment() const;
  /// cycle_of() analyses and schedule_of() schedules a cycle of this number of steps, which is at
  /// most that of the plan.
  Cycle cycle_of(const Segment& segment, int steps) const;
  Schedule schedule_of(const Segment& segment, int steps, const StepPlan& plan) const;
  static int longest_cycle(const Segment& segment);
  struct Planned;
  Planned& planned_for(Segment& segment, int steps) const;
  void run_block(Block& block, Index steps, StepClock& clock);
  void run_loop(Loop& loop, StepClock& clock);
  Index run_until(Loop& loop, StepClock& clock);
  void run_repeated(Loop& loop, Index rounds, StepClock& clock);
  void make_steps();
  void run_steps(Index steps, StepClock& clock);
  void forget_loops();
  static std::vector<Segment*> segments_of_round(const Loop& loop);
  static std::vector<Loop*> loops_within(const Loop& loop);
  static bool suits_device(const Loop& loop, const std::vector<Segment*>& segments);
  std::string refusal_of_stages(const Loop& loop) const;
  bool sets_time_step(const std::vector<Segment*>& segments) const;
  /// Returns why the host takes part in every round of the loop; empty if a device may repeat it by
  /// itself.
  std::string device_refusal(Loop& loop) const;
  bool is_on_paper() const;
  bool flushes_subnormals() const;
  void compile_all_kernels(const std::vector<Index>& runs);
  void compile_loop(Loop& loop);
  std::set<std::shared_ptr<ParameterRecord>> numbers_of(
      const std::vector<Segment*>& segments) const;
  std::vector<double> values_read_by(const std::vector<Segment*>& segments) const;
  struct RoundWalk;
  void walk_block(Block& block, Index steps, RoundWalk& walk);
  void walk_segment(Segment& segment, Index steps, RoundWalk& walk);
  void walk_loop(Loop& loop, RoundWalk& walk);
  void walk_rounds(Loop& loop, int rounds, RoundWalk& walk);
  std::unique_ptr<DeviceLoop> record_loop(Loop& loop, int rounds, Index times, bool moves,
                                          std::vector<double> settings, const StepClock& clock);
  DeviceLoop* recorded_loop(Loop& loop, Index most, const StepClock& clock);
  Index repeat_on_device(Loop& loop, Index most, StepClock& clock);
  void see_results(Loop& loop, const DeviceNumbers& numbers);
  static int steps_of_pass(const Segment& segment, int steps);
  void collect_samples();
  void end_views();
  /// Returns why cycles of the segment are not recorded; null if they are.
  static const char* recording_refusal(const Segment& segment);
  static bool is_recordable(const Segment& segment) { return !recording_refusal(segment); }
  static int cycles_at_once(const Segment& segment);
  void run_cycles(Segment& segment, int steps, int cycles, StepClock& clock);
  void run_straight(Segment& segment, Index steps, StepClock& clock);
  Index take_turn(Segment& segment, Index steps, StepClock& clock);
  bool fits(const Segment& segment, const StepPlan& plan) const;
  PlanOffer forecasts(const Segment& segment, const std::vector<StepPlan>& plans,
                      bool tries_overlap) const;
  bool try_plan(Segment& segment, const StepPlan& plan);
  std::vector<StepPlan> with_others(const Segment& segment, std::vector<StepPlan> plans,
                                    bool tries_overlap) const;
  std::string refusal_of_pass(const Segment& segment, const StepPlan& plan) const;
  void provide_halos();
  bool choose_narrow_halos();
  void fit_halos(Segment& segment);
  void note_device_steps(std::vector<StraightRun>& runs) const;
  template <class RoundsOf>
  static void add_straight_runs(const Block& block, double times, bool is_solver,
                                const RoundsOf& rounds_of, std::vector<StraightRun>& all);
  template <class Visit>
  static void visit_items(Block& block, Visit&& visit);
  template <class Visit>
  static void visit_segments(Block& block, Visit&& visit);

  Program program_;
  std::shared_ptr<Block> block_;
  /// All steps of a run as a loop that a device may repeat; null for a straight run of stages
  /// without results.
  std::unique_ptr<Loop> steps_;
  /// Runs the program instead of schedules if the settings ask for it.
  std::unique_ptr<reference::Reference> reference_;
  std::set<const FieldRecord*> scratch_;
  std::vector<const Stage*> unrolled_;         ///< repeat stages that were written out in segments
  std::set<const ParameterRecord*> computed_;  ///< parameters that some stage computes
  TimeSplit split_;
  /// The parameter that holds the length of a time step; null if it is constant.
  std::shared_ptr<const ParameterRecord> dt_;
  Trials trials_{};  ///< the purpose of trials: a run, or tuning
  bool has_run_ = false;
  Index cycles_replayed_ = 0, preparations_ = 0;
  /// Halo widths per field, and for each grid the number of the distribution that they are made
  /// for.
  std::map<GridState*, std::vector<Extents>> halos_;
  std::map<GridState*, int> distributions_;
  bool are_compiled_ = false;  ///< the kernels of the present schedules are compiled
  /// The number of changes of boundary conditions, over all fields, when schedules were made.
  int boundary_changes_ = 0;
};

}  // namespace goban
