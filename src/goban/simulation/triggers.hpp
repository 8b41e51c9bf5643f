#pragma once
// When to act: every so many steps, every so much simulated or wall-clock time, at given moments.

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Where a run stands.
struct Clock {
  Index step = 0;   ///< steps done since the very beginning, over all restarts
  double time = 0;  ///< simulated, in the application's unit
  double wall = 0;  ///< seconds since this process started the run; the same on every rank
};

/// A schedule of moments, and which of them lie behind. Moments may coincide or be overrun: they
/// are then one. Times are met within 1e-6 of an interval (1e-9 of a given time), so that the
/// round-off of step * dt neither skips nor doubles a moment.
class Trigger {
 public:
  /// Makes a trigger that is never due.
  Trigger() = default;

  /// True if a moment has been reached since the last true answer; steps and times count from 0,
  /// which is itself a moment of every() and every_time(). Wall-clock intervals start at wall = 0.
  bool due(const Clock& now);

  /// Takes everything up to `now` as done: for schedules that do not act on the initial state.
  void skip(const Clock& now);

  /// The number of steps, at least 1, of size dt that may be done in one go without overrunning a
  /// moment behind `now`; possibly one less, where round-off decides. Wall-clock schedules never
  /// ask for a stop: `no_limit`.
  Index steps_until_due(const Clock& now, double dt) const;
  static constexpr Index no_limit = std::numeric_limits<Index>::max();

  /// Simulated time until the next moment, infinity for schedules of other kinds: for applications
  /// that shorten dt to meet it.
  double time_until_due(const Clock& now) const;

  bool is_of_wall_time() const { return kind_ == Kind::wall; }
  /// Whether it counts wall time, at intervals that others find out: see set_interval().
  bool is_automatic() const { return is_automatic_; }
  /// The interval of an automatic one, in seconds.
  void set_interval(double seconds) { interval_ = seconds; }
  bool is_every_step() const { return kind_ == Kind::steps && step_interval_ == 1; }

  /// What lies behind, as one line of text for checkpoints: independent of the schedule itself, so
  /// that a restart may change it. Wall-clock intervals start anew.
  std::string state() const;
  /// Errors: no_checkpoint for text that state() never wrote.
  void restore(std::string_view state);

  /// "every 100 steps", "every 2 ms of simulated time", "every 300 s of wall time", "at steps 1,
  /// 2", "never".
  std::string describe(const std::string& time_unit = {}) const;

 private:
  enum class Kind { never, steps, time, wall, at_steps, at_times };
  friend Trigger every(Index steps);
  friend Trigger every_time(double interval);
  friend Trigger every_wall(double seconds);
  friend Trigger automatically();
  friend Trigger at_steps(std::vector<Index> steps);
  friend Trigger at_times(std::vector<double> times);

  /// The last moment reached at a step or time; -1 and -infinity if there is none.
  Index latest_step(Index step) const;
  double latest_time(double time) const;

  Kind kind_ = Kind::never;
  bool is_automatic_ = false;
  Index step_interval_ = 0;
  double interval_ = 0;  ///< in simulated time or in seconds
  std::vector<Index> steps_;
  std::vector<double> times_;
  Index done_step_ = -1;  ///< everything up to here lies behind
  double done_time_ = -std::numeric_limits<double>::infinity();
  double done_wall_ = 0;
};

/// Errors of all: usage for intervals that are not positive and for negative moments.
Trigger every(Index steps);
Trigger every_time(double interval);  ///< in simulated time
Trigger every_wall(double seconds);
Trigger at_steps(std::vector<Index> steps);
Trigger at_times(std::vector<double> times);
/// A trigger for checkpoints: so often that what they cost and what failures cost is least
/// together.
Trigger automatically();

/// Whole numbers are steps, others simulated times; a list holds one kind.
inline Trigger at(std::initializer_list<int> steps) {
  return at_steps(std::vector<Index>(steps.begin(), steps.end()));
}
inline Trigger at(std::initializer_list<Index> steps) { return at_steps(steps); }
inline Trigger at(std::initializer_list<double> times) { return at_times(times); }

/// Triggers at intervals of wall-clock time.
inline Trigger seconds(double n) { return every_wall(n); }
inline Trigger minutes(double n) { return every_wall(60 * n); }
inline Trigger hours(double n) { return every_wall(3600 * n); }

}  // namespace goban
