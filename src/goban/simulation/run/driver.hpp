#pragma once
// Carries out a plan: the loop over time, and what happens between cycles.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "goban/simulation/checkpointer/saver.hpp"
#include "goban/simulation/report/run_measures.hpp"
#include "goban/simulation/report/voice.hpp"
#include "goban/simulation/run.hpp"
#include "goban/simulation/run/control.hpp"
#include "goban/simulation/run/repeat_check.hpp"
#include "goban/simulation/run/status_file.hpp"
#include "goban/simulation/run_report.hpp"

namespace goban {

class Driver {
 public:
  Driver(RunPlan& plan, RunReport& report);

  /// Errors: as of everything it calls. STATUS then says why; where a field holds NaN, a snapshot
  /// <name>_diverged shows the fields of the run's snapshots.
  RunStatus run();

 private:
  /// What is done on the first rank alone and, if it fails there, fails on all.
  template <class F>
  void on_first(F&& work);
  bool has_directory() const { return !plan_.directory().empty(); }
  void start();
  void choose_writers();
  void begin_files();
  std::string how_to_go_on() const;
  void open_outputs(const std::vector<std::string>& unknown);
  void loop();
  void advance();
  void act();
  void require_progress() const;
  void look_for_end();
  void write_samples();
  void write_outputs(bool over);
  void write(SimulationOutput& output, const Moment& moment);
  bool is_adjusted() const;
  std::vector<Error> save_checkpoint(const LevelsDue& levels);
  void save(const LevelsDue& levels, FileTrouble trouble);
  void save_to_stop();
  Timeline* timeline() const;
  void save_trace();
  void finish();
  void fail(const std::string& why, bool diverged);

  /// What all ranks agree on at every step.
  struct Pulse {
    bool checkpoint = false;
    Control::Stop stop = Control::Stop::none;
    Index saves_finished = 0;
  };
  Pulse pulse();
  Clock now() const;
  double wall() const;
  bool is_stopping() const { return over_ || !stop_reason_.empty(); }
  Index steps_to_next_moment() const;
  double time_to_next_moment() const;
  void watch_for_nan();
  /// What must not change has not.
  void check_conserved();
  void sync_outputs();
  void check_restart() const;
  void measure_bandwidth();
  /// Does what writes files.
  template <class F>
  void with_files(F&& write, FileTrouble trouble);
  void go_without(const Error& error, FileTrouble trouble);
  void go_without(const std::vector<Error>& errors, FileTrouble trouble);

  RunPlan& plan_;
  RunReport& report_;
  const SimulationOptions& options_;
  std::shared_ptr<Communicator> ranks_;
  Engines engines_;
  RunPlace place_;
  std::chrono::steady_clock::time_point start_;
  StepClock clock_;
  Trigger end_;  ///< the simulated time to reach, met within the same tolerance as other moments
  Saver saver_;
  RepeatCheck repeats_;
  Voice voice_;
  std::optional<Control> control_;    ///< of runs that have a directory
  std::optional<StatusFile> status_;  ///< from when on they write to it
  double wall_of_step_ = 0;           ///< seconds, the same on every rank
  RunFacts facts_;
  RunMeasures measures_;
  bool over_ = false;
  std::string stop_reason_;     ///< why it stops early; empty: it does not
  Index checked_step_ = -1;     ///< last looked at for NaN
  double turn_began_ = 0;       ///< seconds of wall()
  double longest_turn_ = 0;     ///< seconds between two looks around, without saves
  double saving_ = 0;           ///< seconds since the last look
  Index cycles_in_flight_ = 1;  ///< computed between two looks around
  std::size_t balances_told_ = 0;
};

}  // namespace goban
