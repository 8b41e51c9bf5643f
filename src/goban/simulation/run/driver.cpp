#include "goban/simulation/run/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/backend/gpu_backend.hpp"
#include "goban/backend/timeline.hpp"
#include "goban/base/activity.hpp"
#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/base/stopwatch.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/watch/watch.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/trace_file.hpp"
#include "goban/simulation/checkpointer/checkpointer.hpp"
#include "goban/simulation/report/reports.hpp"
#include "goban/simulation/report/run_files.hpp"
#include "goban/simulation/report/run_log.hpp"
#include "goban/simulation/report/run_measures.hpp"
#include "goban/simulation/run/control.hpp"
#include "goban/simulation/run/divergence.hpp"
#include "goban/simulation/run/live_run.hpp"
#include "goban/simulation/run/output_writers.hpp"
#include "goban/simulation/run/run_directory.hpp"
#include "goban/simulation/run/status_file.hpp"
#include "goban/simulation/run/unwritten_files.hpp"

namespace goban {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// GPUs compute about this long between two looks at signals, clocks and outputs.
constexpr double time_in_flight = 0.05;  // seconds

class Driver {
 public:
  Driver(RunPlan& plan, RunReport& report)
      : plan_(plan),
        report_(report),
        options_(plan.options),
        ranks_(plan.communicator()),
        engines_(plan.program, plan.stops, plan.derived, plan.outputs),
        start_(steady_clock::now()),
        checkpointer_(plan, engines_, clock_),
        run_log_(plan.shows_progress, ranks_->rank() == 0),
        files_(*ranks_, run_log_, report),
        outputs_(plan, engines_, clock_, files_, measures_.output_seconds,
                 [this] { watch_for_nan(); }) {
    place_ = {
        .directory = plan.directory(),
        .name = plan.name(),
        .title = options_.title,
        .case_text = options_.case_text,
        .length_unit = options_.length_unit,
        .time_unit = options_.time_unit,
        .shapes = options_.shapes,
        .provenance = provenance_of(plan),
        .ranks = one_writer(ranks_),
        .writes = ranks_->rank() == 0,
        .can_go_on = plan.checkpoints.has_value(),
        .say = [this](const std::string& line) { run_log_.say(line); },
        .on_lost = [this](const Error& error) { files_.go_without(error, options_.file_trouble); }};
    for (const auto& output : plan.outputs) {
      if (output->makes_files()) place_.outputs.push_back(output->name());
    }
    clock_.dt = options_.dt.value;
    clock_.dt_parameter = options_.dt.parameter;
    if (std::isfinite(options_.end)) end_ = at_times({options_.end});
  }

  /// Errors: as of everything it calls. STATUS then says why; where a field holds NaN, a snapshot
  /// <name>_diverged shows the fields of the run's snapshots.
  RunStatus run() {
    try {
      start();
      loop();
      finish();
    } catch (const Error& error) {
      fail(error.what(), error.code() == ExitCode::diverged);
      throw;
    } catch (const std::exception& error) {
      fail(error.what(), false);
      throw;
    }
    if (options_.file_trouble == FileTrouble::stop && files_.lost()) {
      throw Error(ExitCode::files, "the last checkpoint is missing", files_.lost()->what(),
                  "all else is written");
    }
    return over_ ? RunStatus::finished : RunStatus::stopped;
  }

 private:
  /// What all ranks agree on at every step.
  struct Pulse {
    bool checkpoint = false;
    Control::Stop stop = Control::Stop::none;
    Index saves_finished = 0;
    std::int64_t live = 0;  ///< bits of LiveRun::Wish
  };
  /// What is done on the first rank alone and, if it fails there, fails on all.
  template <class F>
  void on_first(F&& work) {
    agree(*ranks_, [&] {
      if (place_.writes) work();
    });
  }
  bool has_directory() const { return !plan_.directory().empty(); }
  bool is_moved() const { return !plan_.grid.state()->context->settings().out.empty(); }
  void start() {
    on_first([&] { check_summary_file(options_.summary); });
    if (has_directory()) {
      on_first([&] {
        if (is_moved()) claim_directory(place_.directory, plan_.own_directory());
        make_directory(place_.directory);
        directory_.emplace(place_.directory);
        control_.emplace(place_.directory, options_.started, options_.max_time);
      });
      if (!place_.writes && SignalWatch::is_free()) control_.emplace();
      choose_writers();
    }
    facts_ = facts_of(plan_, engines_);
    run_log_.print(banner(facts_));
    check_memory(facts_, *ranks_);
    engines_.prepare();
    if (!plan_.live().empty()) serve_page();
    const auto log = [this](const std::string& line) { run_log_.say(line); };
    std::vector<std::string> unknown;
    report_.restarted = checkpointer_.restore(place_.ranks, unknown, log);
    if (report_.restarted) check_restart();
    checkpointer_.begin(now(), log);
    if (has_directory()) begin_files();
    outputs_.open(place_, now(), report_.restarted, unknown);
    {
      const Preparing preparing(Preparation::kernels);
      engines_.step().prepare_run(clock_, runs_ahead());
    }
    if (plan_.shows_progress) measure_bandwidth(seconds_predicted());
    if (plan_.shows_progress) run_log_.begin_progress(progress_plan());
    if (live_) live_->begin_progress(progress_plan());
  }
  ProgressPlan progress_plan() const {
    std::vector<Condition> goals;
    for (const StopRule& rule : plan_.stops) goals.push_back(rule.condition);
    return {.cells = facts_.cell_count(),
            .bytes_per_update = facts_.bytes_per_update,
            .copy_bandwidth = measures_.copy_bandwidth,
            .first_step = clock_.step,
            .steps = std::max<Index>(options_.steps, 0),
            .first_time = clock_.time,
            .end_time = std::isfinite(options_.end) ? options_.end : 0,
            .goals = std::move(goals),
            .time_unit = options_.time_unit};
  }
  void serve_page() {
    live_.emplace(plan_, engines_, clock_, place_.writes);
    on_first([&] { live_->serve(live_address(plan_.live()), banner(facts_)); });
    if (!place_.writes) return;
    run_log_.say("live page: " + live_->url());
    run_log_.tell([this](const std::string& line) { live_->say(line); });
    place_.follow = [this](const std::string& name, const std::vector<CsvColumn>& columns) {
      return live_->follow(name, columns);
    };
  }
  /// Chooses a rank that writes for every machine, if all see the run's directory.
  void choose_writers() {
    place_.ranks = writers_of_machines(ranks_, place_.directory);
    place_.ranks.owned_by = [grid = plan_.grid.state()](int rank) {
      return decomposition_of(*grid).owned_by(rank);
    };
    const std::vector<int>& machines = ranks_->nodes();
    const bool has_several = std::find(machines.begin(), machines.end(), 1) != machines.end();
    if (!has_several || place_.ranks.writers().size() > 1) return;
    run_log_.say("machines do not share " + place_.directory.string() +
                 " (a file of rank 0 is not seen by all): rank 0 writes for all");
  }
  /// Begins the files of the run; until here an earlier run in the directory is as it was.
  void begin_files() {
    on_first([&] {
      write_run_record(place_, plan_.changes,
                       report_.restarted ? std::optional(clock_.step) : std::nullopt);
    });
    const auto writer = place_.writes         ? StatusFile::Writer::first
                        : ranks_->rank() == 1 ? StatusFile::Writer::deputy
                                              : StatusFile::Writer::none;
    agree(*ranks_, [&] {
      status_.emplace(place_.directory, writer, how_to_go_on(),
                      control_ ? &control_->signals() : nullptr);
    });
  }
  /// What a user types.
  std::string how_to_go_on() const {
    return options_.case_values.empty() ? "--goban-restart" : "--restart";
  }
  void loop() {
    measures_.start = StartTimes::take();
    report_.first_step = clock_.step;
    outputs_.check_conserved();
    turn_began_ = wall();
    act();
    while (!is_stopping()) {
      advance();
      act();
    }
  }
  void advance() {
    const Index cycle = engines_.step().steps_per_exchange();
    Index steps = std::min(cycle * cycles_in_flight_, steps_to_next_moment());
    const double to_moment = time_to_next_moment();
    // Where dt changes on the way, nobody knows how many steps a moment is away.
    if (options_.dt_limit || (clock_.dt_parameter && std::isfinite(to_moment))) steps = 1;
    if (options_.dt_limit) Parameter<double>(*options_.dt_limit).set(to_moment);
    steps = std::max<Index>(1, steps);
    if (options_.nan_check > 0) {
      steps = std::min(steps, options_.nan_check * FiniteWatch::most_looks);
    }
    const bool was_settled = engines_.step().is_settled();
    const TimeSplit split = engines_.step().time_split();
    const Index prepared = preparations();
    const double before = measures_.loop_seconds;
    {
      const Stopwatch watch(measures_.loop_seconds);
      run(steps);
      engines_.step().synchronize();
    }
    if (!was_settled) measures_.steady = {}, most_steady_ = 0;
    if (was_settled && preparations() == prepared) {
      note_steady(steps, measures_.loop_seconds - before, split);
    }
    const auto balance = engines_.balance();
    for (; balances_told_ < balance.size(); ++balances_told_) {
      run_log_.say(balance[balances_told_]->outcome);
    }
    outputs_.write_samples(wall_of_step_);
    const double seconds = measures_.loop_seconds - before;
    const bool pays = !facts_.gpus.empty() || ranks_->size() > 1;
    if (pays && steps == cycle * cycles_in_flight_ && seconds < time_in_flight / 2) {
      cycles_in_flight_ *= 2;
    }
  }
  /// What looks for NaN on the way waits for nothing.
  void run(Index steps) {
    const Index interval = options_.nan_check;
    while (steps > 0) {
      const Index some = interval > 0 ? std::min(steps, interval - clock_.step % interval) : steps;
      engines_.step().run(some, clock_);
      steps -= some;
      if (steps > 0) finite_.look(clock_.step);
    }
  }
  /// How often something was compiled, tried or recorded so far.
  Index preparations() {
    const cpu::CodeStatistics code = cpu::code_statistics();
    const Index count = engines_.step().preparations() + code.compiled + code.loaded;
    if (facts_.gpus.empty()) return count;
    const CompiledKernels kernels = gpu_backend().compiled_kernels();
    return count + kernels.compiled + kernels.loaded;
  }
  /// Counts steps that ran together and began with `split`. The more run together, the less is
  /// between them: those count of which most did.
  void note_steady(Index steps, double seconds, const TimeSplit& split) {
    SteadySteps& steady = measures_.steady;
    if (steps < most_steady_) return;
    if (steps > most_steady_) steady = {};
    most_steady_ = steps;
    const double one = seconds / static_cast<double>(steps);
    steady.fastest = steady.steps > 0 ? std::min(steady.fastest, one) : one;
    steady.steps += steps;
    steady.seconds += seconds;
    steady.split.add(engines_.step().time_split());
    steady.split.add(split, -1);
  }
  /// Everything that happens on a step.
  void act() {
    const Pulse wishes = pulse();
    if (wishes.saves_finished > checkpointer_.settled()) {
      files_.go_without(checkpointer_.settle(wishes.saves_finished), options_.file_trouble);
    }
    for (const Adjustment& adjustment : plan_.adjustments) {
      if (clock_.step % adjustment.every == 0) adjustment.change(now());
    }
    finite_.require_finite();
    if (options_.nan_check > 0 && clock_.step % options_.nan_check == 0) watch_for_nan();
    look_for_end();
    if (over_) watch_for_nan();
    if (over_) outputs_.check_conserved();
    if (!over_) stop_reason_ = Control::name_of(wishes.stop);
    if (!over_ && wishes.stop == Control::Stop::max_time) require_progress();
    outputs_.write_due(now(), false);
    LevelsDue levels = checkpointer_.due(now());
    const bool at_end = over_ && plan_.checkpoints && plan_.checkpoint_policy.at_end;
    if (!stop_reason_.empty()) {
      save_to_stop();
    } else if (wishes.checkpoint) {
      save_as_wished(levels);
    } else if (levels.any() || at_end) {
      levels.shared |= at_end;
      // When the run is over, all else is still to be written.
      save(levels, over_ ? FileTrouble::warn : options_.file_trouble);
    }
    if (over_) files_.go_without(checkpointer_.finish(), FileTrouble::warn);
    if (over_) {
      outputs_.write_due(now(), true);
      outputs_.sync();
    }
    run_log_.update(clock_.step, clock_.time, wall());
    if (status_) status_->show_life();
    if (live_) attend_viewers(wishes);
  }
  void save_as_wished(LevelsDue levels) {
    levels.shared = true;
    save(levels, options_.file_trouble);
    files_.go_without(checkpointer_.finish(), options_.file_trouble);
    if (!checkpointer_.has_saved()) return;
    run_log_.say(fmt::format("checkpoint of step {} saved", clock_.step));
  }
  /// What viewers of the live page want; as long as they have it paused, the run stays where it is.
  void attend_viewers(Pulse wishes) {
    constexpr auto between_looks = std::chrono::milliseconds(20);
    const bool pauses = (wishes.live & LiveRun::pause) != 0 && !is_stopping();
    fulfil(wishes);
    if (pauses) run_log_.say(fmt::format("paused at step {}", clock_.step));
    live_->show(now(), pauses ? "paused" : "running", pauses);
    while (pauses && (wishes.live & LiveRun::pause) != 0 && !is_stopping()) {
      {
        const Stopwatch watch(saving_);  // no part of a turn
        std::this_thread::sleep_for(between_looks);
      }
      wishes = pulse();
      stop_reason_ = Control::name_of(wishes.stop);
      if (is_stopping()) {
        save_to_stop();
      } else if (wishes.checkpoint) {
        save_as_wished({});
      }
      fulfil(wishes);
      live_->show(now(), "paused");
      if (status_) status_->show_life();
    }
    if (pauses && !is_stopping()) run_log_.say("goes on");
  }
  /// A run is not worth less because what a viewer wants cannot be had.
  void fulfil(const Pulse& wishes) {
    if ((wishes.live & (LiveRun::slice | LiveRun::picture)) == 0) return;
    try {
      agree(*ranks_, [&] { live_->fulfil(wishes.live, now(), place_); });
    } catch (const Error& error) {
      run_log_.say(std::string("warning: ") + error.what());
    }
  }
  /// A run that is started again and again with as little time would never get further.
  void require_progress() const {
    if (clock_.step > report_.first_step) return;
    throw Error(ExitCode::usage, "the time limit leaves no time for a single step",
                fmt::format("the start took {:.3g} s, a checkpoint may take {:.3g} s",
                            seconds_since(options_.started), checkpointer_.seconds_expected()),
                "give the run more time");
  }
  void look_for_end() {
    for (std::size_t r = 0; r < plan_.stops.size() && !over_; ++r) {
      const StopRule& rule = plan_.stops[r];
      if (clock_.step == 0 || clock_.step % rule.every != 0) continue;
      over_ = engines_.holds(r, clock_);
      if (rule.condition.is_lost()) {
        watch_for_nan();  // says more if it finds something
        throw Error(ExitCode::diverged, rule.describe() + " cannot end the run any more",
                    fmt::format("the number is NaN at step {}", clock_.step),
                    options_.advice_on_divergence);
      }
      if (over_) report_.ended_by = rule.describe();
    }
    if (over_) return;
    if (options_.steps >= 0 && clock_.step >= options_.steps) {
      over_ = true;
      report_.ended_by = "steps";
    } else if (end_.due(now())) {
      over_ = true;
      report_.ended_by = "end";
    }
  }
  std::vector<Error> save_checkpoint(const LevelsDue& levels) {
    on_first([&] {
      if (directory_) directory_->require_in_place();
    });
    watch_for_nan();
    outputs_.check_conserved();
    const Doing doing(Activity::checkpoint);
    const Stopwatch watch(saving_);
    const HostSpan span(timeline(), Timeline::Kind::checkpoint, "checkpoint");
    return checkpointer_.save(levels);
  }
  void save(const LevelsDue& levels, FileTrouble trouble) {
    std::vector<Error> errors;
    files_.attempt([&] { errors = save_checkpoint(levels); }, trouble);
    files_.go_without(errors, trouble);
  }
  /// What went wrong before does not matter any more where this one is good.
  void save_to_stop() {
    if (has_directory()) run_log_.say(stop_reason_ + ": saving a checkpoint to stop");
    std::vector<Error> errors = save_checkpoint({.shared = true});
    for (Error& error : checkpointer_.finish()) errors.push_back(std::move(error));
    if (!errors.empty() && !checkpointer_.has_saved()) throw Error(errors.back());
    files_.go_without(errors, options_.file_trouble);
  }
  Timeline* timeline() const { return plan_.grid.state()->context->timeline(); }
  /// A run is not worth less because its trace could not be written.
  void save_trace() {
    if (!timeline()) return;
    const std::string file =
        trace_file_of_rank(plan_.grid.state()->context->settings().trace, ranks_->rank());
    try {
      write_trace(file, *timeline());
      timeline()->set_written();
      measures_.trace = fmt::format("{} events in {}", timeline()->bars().size(), file);
      if (timeline()->left_out() > 0) {
        measures_.trace += fmt::format(", {} later ones left out", timeline()->left_out());
      }
      if (!timeline()->note().empty()) measures_.trace += "; " + timeline()->note();
    } catch (const Error& error) {
      run_log_.say(std::string("warning: ") + error.what());
    }
  }
  void finish() {
    report_.last_step = clock_.step;
    report_.time = clock_.time;
    if (!over_) report_.ended_by = stop_reason_;
    report_.loop_seconds = measures_.loop_seconds;
    run_log_.end_progress(clock_.step, clock_.time, measures_.loop_seconds, over_);
    nlohmann::ordered_json results = nlohmann::ordered_json::object();
    std::vector<std::string> warnings;
    measures_.checkpoints = checkpointer_.measures();
    measures_.checkpoint_seconds = measures_.checkpoints.held;
    std::exception_ptr failure;  // of what the user computes; all else has its value without it
    {
      const Stopwatch watch(measures_.results_seconds);
      engines_.derive(clock_);
      try {
        for (const auto& fill : plan_.results) fill(results);
        for (const auto& look : plan_.warnings) {
          if (std::string text = look(); !text.empty()) warnings.push_back(std::move(text));
        }
      } catch (...) {
        failure = std::current_exception();
      }
      complete(measures_, plan_, engines_);
    }
    save_trace();
    if (!place_.directory.empty() || !options_.summary.empty()) {
      measure_bandwidth(measures_.loop_seconds);
    }
    measures_.predicted =
        predicted_step(engines_.step(), *plan_.grid.state(), measures_.copy_bandwidth);
    const FilesWritten::Kind all = files_written(plan_, engines_, clock_.step).outputs;
    const FilesWritten::Kind before = files_written(plan_, engines_, report_.first_step).outputs;
    measures_.predicted_output_seconds = seconds_of_files(
        plan_.grid.state()->context->machine(), all.times - before.times, all.bytes - before.bytes);
    measures_.plans = engines_.step().plans();
    report_.wall_seconds = wall();
    // In the first steps passes may have been given up, and a CPU left out.
    facts_.steps_per_exchange = engines_.step().steps_per_exchange();
    facts_.steps_per_pass = engines_.step().steps_per_pass();
    facts_.overlap = engines_.step().overlap();
    facts_.pass_refusal = engines_.step().pass_refusal();
    update_patches(facts_, *plan_.grid.state());
    auto summary = summary_of(facts_, report_, measures_, std::move(results));
    if (!plan_.changes.empty()) summary["changes"] = json_of(plan_.changes);
    if (!warnings.empty()) summary["warnings"] = warnings;
    if (status_) status_->close();
    on_first([&] {
      if (directory_) directory_->require_in_place();
      write_summary(has_directory() ? place_.directory : "", options_.summary, summary);
      if (!has_directory()) return;
      status_->write(!over_ ? fmt::format("stopped: {} at step {}, go on with {}", stop_reason_,
                                          clock_.step, how_to_go_on())
                     : report_.unwritten > 0 ? "finished, but files could not be written"
                                             : "finished");
    });
    if (!over_) Watch::note_stopped();
    run_log_.print(end_report(facts_, report_, measures_, summary["results"]));
    for (const std::string& text : warnings) run_log_.say("warning: " + text);
    if (!over_ && checkpointer_.has_saved()) {
      run_log_.say(fmt::format("{}: checkpoint of step {} saved, go on with {}", stop_reason_,
                               clock_.step, how_to_go_on()));
    }
    if (live_) live_->show(now(), over_ ? "finished" : "stopped", true);
    if (failure) std::rethrow_exception(failure);
  }
  void fail(const std::string& why, bool diverged) {
    if (status_) status_->close();
    run_log_.end_progress(clock_.step, clock_.time, measures_.loop_seconds, false);
    if (live_) live_->say("failed: " + why);
    if (live_) live_->show(now(), "failed", true);
    save_trace();
    if (!status_) return;
    try {
      status_->write("failed: " + why);
      if (diverged) write_diverged_fields(plan_, engines_, clock_, place_, wall_of_step_);
    } catch (const std::exception&) {
      // The error that brought us here is the one to report.
    }
  }

  /// Wishes of any rank, the clock and the pace of the first.
  Pulse pulse() {
    constexpr double last_words = 0.1;  // seconds
    const double turn = wall() - turn_began_;
    longest_turn_ = std::max(longest_turn_, turn - std::exchange(saving_, 0));
    turn_began_ += turn;
    Control::Wishes wishes;
    if (control_) {
      wishes =
          control_->poll(last_words + 2 * longest_turn_ + 1.5 * checkpointer_.seconds_expected());
    }
    const std::int64_t live = live_ ? live_->wishes() : 0;
    if ((live & LiveRun::checkpoint) != 0) live_->take_checkpoint(), wishes.checkpoint = true;
    if ((live & LiveRun::stop) != 0 && wishes.stop == Control::Stop::none) {
      wishes.stop = Control::Stop::page;
    }
    const bool is_first = ranks_->rank() == 0;
    const auto nanoseconds = static_cast<std::int64_t>(wall() * 1e9);
    std::array<std::int64_t, 6> agreed{static_cast<std::int64_t>(wishes.stop),
                                       wishes.checkpoint,
                                       is_first ? nanoseconds : 0,
                                       is_first ? cycles_in_flight_ : 0,
                                       -checkpointer_.finished(),
                                       live};
    ranks_->maximum(agreed);
    wall_of_step_ = static_cast<double>(agreed[2]) * 1e-9;
    cycles_in_flight_ = agreed[3];
    return {agreed[1] != 0, static_cast<Control::Stop>(agreed[0]), -agreed[4], agreed[5]};
  }
  Clock now() const { return {clock_.step, clock_.time, wall_of_step_}; }
  double wall() const { return seconds_since(start_); }
  bool is_stopping() const { return over_ || !stop_reason_.empty(); }
  /// Numbers of steps that leave of a cycle what moments, looks for NaN and the end will.
  std::vector<Index> runs_ahead() {
    const Index cycle = engines_.step().steps_per_exchange(), moment = steps_to_next_moment();
    const Index end = options_.steps - clock_.step;
    std::vector<Index> runs;
    Index whole = std::gcd(cycle, options_.nan_check);
    if (moment != end) whole = std::gcd(whole, moment);
    for (Index steps = whole; steps < cycle; steps += whole) runs.push_back(steps);
    if (end > 0 && end % whole != 0) runs.push_back(end);
    return runs;
  }
  /// The steps until something is due, at least 1.
  Index steps_to_next_moment() const {
    const Clock here = now();
    const double dt = clock_.current_dt();
    Index steps = std::min(end_.steps_until_due(here, dt), engines_.sampling().most_steps());
    const auto at_multiple = [&](Index interval) {
      steps = std::min(steps, interval - here.step % interval);
    };
    for (const auto& output : plan_.outputs) {
      if (engines_.sampling().is_of(*output)) continue;
      steps = std::min(steps, output->when().steps_until_due(here, dt));
    }
    steps = std::min(steps, checkpointer_.steps_until_due(here, dt));
    for (const StopRule& rule : plan_.stops) at_multiple(rule.every);
    for (const Adjustment& adjustment : plan_.adjustments) at_multiple(adjustment.every);
    if (options_.steps >= 0) steps = std::min(steps, options_.steps - here.step);
    return std::max<Index>(1, steps);
  }
  double time_to_next_moment() const {
    const Clock here = now();
    double time = end_.time_until_due(here);
    for (const auto& output : plan_.outputs) {
      time = std::min(time, output->when().time_until_due(here));
    }
    return std::min(time, checkpointer_.time_until_due(here));
  }
  void watch_for_nan() {
    if (std::exchange(checked_step_, clock_.step) == clock_.step) return;
    finite_.look(clock_.step);
    finite_.require_finite();
  }
  /// What was written after the end would be lost.
  void check_restart() const {
    const bool is_late = (options_.steps >= 0 && clock_.step > options_.steps) ||
                         clock_.time > options_.end + 0.5 * clock_.current_dt();
    if (!is_late) return;
    const std::string end = clock_.step > options_.steps && options_.steps >= 0
                                ? fmt::format("step {}", options_.steps)
                                : "t = " + quantity_text(options_.end, options_.time_unit);
    throw Error(ExitCode::usage, fmt::format("cannot go on from step {}", clock_.step),
                fmt::format("it lies after the end of the run, {}", end),
                "choose a later end or an earlier checkpoint");
  }
  /// The time that the steps left are predicted to take, s; infinity where nobody knows.
  double seconds_predicted() {
    const Index steps = steps_to_take(plan_) - clock_.step;
    const double step = predicted_step(engines_.step(), *plan_.grid.state(), 0).seconds;
    const bool is_known = steps >= 0 && step > 0;
    return is_known ? static_cast<double>(steps) * step : std::numeric_limits<double>::infinity();
  }
  /// `seconds`: what the steps take, at least ten times as long as the measurement. Collective.
  void measure_bandwidth(double seconds) {
    constexpr double least_seconds = 10;
    if (!options_.measure_bandwidth || measures_.copy_bandwidth > 0) return;
    std::array<std::int64_t, 1> is_long{seconds >= least_seconds};
    ranks_->maximum(is_long);
    if (facts_.gpus.empty() && (is_long[0] == 0 || facts_.bytes_to_measure == 0)) return;
    const Preparing preparing(Preparation::bandwidth);
    measures_.copy_bandwidth = measured_copy_bandwidth(*plan_.grid.state(), facts_);
  }

  RunPlan& plan_;
  RunReport& report_;
  const SimulationOptions& options_;
  std::shared_ptr<Communicator> ranks_;
  Engines engines_;
  RunPlace place_;
  std::chrono::steady_clock::time_point start_;
  StepClock clock_;
  Trigger end_;  ///< the simulated time to reach, met within the same tolerance as other moments
  Checkpointer checkpointer_;
  RunLog run_log_;
  UnwrittenFiles files_;
  RunMeasures measures_;
  OutputWriters outputs_;
  std::optional<RunDirectory> directory_;  ///< the folder of the run, on the first rank
  std::optional<Control> control_;         ///< wishes from outside, where this rank hears them
  std::optional<StatusFile> status_;       ///< from when on they write to it
  double wall_of_step_ = 0;                ///< seconds, the same on every rank
  RunFacts facts_;
  bool over_ = false;
  std::string stop_reason_;  ///< why it stops early; empty: it does not
  FiniteWatch finite_{engines_, options_.advice_on_divergence};
  Index checked_step_ = -1;     ///< last looked at for NaN
  double turn_began_ = 0;       ///< seconds of wall()
  double longest_turn_ = 0;     ///< seconds between two looks around, without saves
  double saving_ = 0;           ///< seconds since the last look
  Index cycles_in_flight_ = 1;  ///< computed between two looks around
  Index most_steady_ = 0;       ///< steps that ran together since nothing is tried any more
  std::size_t balances_told_ = 0;
  std::optional<LiveRun> live_;  ///< the page, if there is one
};

}  // namespace

RunStatus drive(RunPlan& plan, RunReport& report) { return Driver(plan, report).run(); }

}  // namespace goban
