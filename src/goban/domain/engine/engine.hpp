#pragma once
// Runs a program on its grids' domains: analysis, schedules, cycles.

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
struct StepPlan;
struct PlanOffer;
struct PlanReport;
enum class Trials : std::uint8_t;

/// What the parts of a step cost so far, in seconds of the calling thread.
struct TimeSplit {
  double compute = 0, halo = 0;
  double solver = 0;            ///< seconds of both in loops until a condition holds
  std::vector<double> parts{};  ///< all of each straight run of stages, in the program's order

  /// Adds another's, so many times.
  void add(const TimeSplit& other, double factor = 1);
};

class Engine {
 public:
  /// Errors (ExitCode::usage): a stage that reads what it writes or mixes grids of which neither is
  /// coarsened from the other, swapped fields
  /// that are not alike, field boundaries at odds with the grid's periodicity.
  explicit Engine(Program program);
  ~Engine();

  /// Chooses steps and schedules and provides storage with the halos these need; again after the
  /// grid was redistributed. Error (ExitCode::usage): steps_per_exchange forced beyond what the
  /// smallest patch allows.
  void prepare();
  /// Runs this many steps; the clock moves with every step. Asynchronous executors may still be at
  /// it.
  void run(Index steps, StepClock& clock);
  /// What run() does before its first step: prepares, compiles and loads what devices run, also the
  /// shorter cycles at the end of `runs` of so many steps each.
  void prepare_run(const StepClock& clock, const std::vector<Index>& runs = {});
  /// Returns when all that was run is done and what the program samples is on the host: before
  /// grids are redistributed. Collective where it samples.
  void synchronize();

  /// Steps per exchange, time steps per pass through cache and overlap that were chosen; of the
  /// part of the program with the longest cycle. Unless the settings force them, plans to run the
  /// step are compared in the first steps of a run and the fastest is kept.
  int steps_per_exchange() const;
  int steps_per_pass() const;
  Overlap overlap() const;
  /// Plans for that part, if there was a choice: those compared first, those not tried last.
  std::vector<PlanReport> plans() const;
  /// Before anything is prepared: all plans to run the step are compared, whatever trials cost, but
  /// for those that are predicted to be much slower.
  void try_all_plans();
  /// Ends all trials: the best plan so far is kept.
  void end_trials();
  /// Whether nothing is tried out any more: plans to run the step, cuts between devices.
  bool is_settled();
  /// Why temporal blocking is off in that part; empty if it is on.
  const std::string& pass_refusal() const;
  /// Why cycles of that part are not replayed as devices recorded them; empty if they are, or if
  /// nothing is queued.
  std::string recording_refusal() const;
  /// The number of cycles of all parts that were replayed so far.
  Index cycles_replayed() const { return cycles_replayed_; }
  /// How often a part was run for the first time, or recorded: later steps need not do so.
  Index preparations() const { return preparations_; }

  /// Fields whose values at the end of a step matter.
  std::vector<std::shared_ptr<FieldRecord>> live_fields() const;
  std::vector<std::shared_ptr<FieldRecord>> fields() const;
  /// Parts of a step that predictions are made of; loops until a condition holds have so many
  /// rounds.
  std::vector<StraightRun> straight_runs(double rounds = 1) const;
  /// Predicts a step as it is run now, by this rank; loops until a condition holds have as many
  /// rounds as they had so far, or one. The prediction is 0 s for the reference, which has no
  /// schedules. Schedules must have been made.
  StepPrediction predicted_step(const MachineRates& machine);
  /// Sweeps of one step, for reports.
  std::vector<std::shared_ptr<const Stage>> sweeps() const;
  /// The traffic and the work of a step per cell of the grid; sweeps over a region count by its
  /// share of the cells.
  double bytes_per_update() const;
  double flops_per_update() const;
  std::size_t bytes_needed();
  TimeSplit time_split() const { return split_; }
  /// Halos of the cycles chosen for this grid, wherever it is cut.
  Index widest_halo(const Domain& domain) const;
  /// Reports on the grids whose cuts have moved and will stay where they are.
  std::vector<const BalanceReport*> balance() const;

  /// Stages, footprints, halos, the schedule chosen and why.
  std::string describe();
  /// The schedule of one straight cycle, for reports and tests.
  const Schedule& schedule();

  const Program& program() const { return program_; }

 private:
  struct Segment;
  struct Loop;
  struct Item;
  struct Block;
  enum class Repeats : std::uint8_t {
    are_loops,
    may_be_unrolled  ///< where nothing happens between their rounds
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
  /// The segment with the longest cycle; null without sweeps.
  const Segment* leading_segment() const;
  /// The schedule of a cycle of so many steps, at most those of the plan.
  Schedule schedule_of(const Segment& segment, int steps, const StepPlan& plan) const;
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
  /// Why the host takes part in every round; empty: a device may repeat it by itself.
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
  /// Why cycles of the segment are not recorded; null: they are.
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
  std::unique_ptr<Loop> steps_;  ///< null: the host takes part in every step, or none has results
  std::unique_ptr<reference::Reference> reference_;  ///< runs in place of schedules if asked for
  std::set<const FieldRecord*> scratch_;
  std::vector<const Stage*> unrolled_;         ///< repeats without a loop
  std::set<const ParameterRecord*> computed_;  ///< by some stage, wherever it stands
  TimeSplit split_;
  /// The length of a step, if the clock has it from a parameter.
  std::shared_ptr<const ParameterRecord> dt_;
  Trials trials_{};  ///< what plans are tried out for: a run or tuning
  bool has_run_ = false;
  Index cycles_replayed_ = 0, preparations_ = 0;
  /// Halo widths per field; and which decomposition of each grid they are for.
  std::map<GridState*, std::vector<Extents>> halos_;
  std::map<GridState*, int> distributions_;
  bool are_compiled_ = false;  ///< the kernels of these schedules
  /// How often boundaries of all fields had changed when schedules were made.
  int boundary_changes_ = 0;
};

}  // namespace goban
