#pragma once
// When an output acts: any of several triggers, and perhaps once more when the run is over.

#include <string>
#include <vector>

#include "goban/simulation/triggers.hpp"

namespace goban {

/// `every(100)`, `every(100) | at_end()`, `every_time(0.1) | at({1, 2, 3})`; empty: never.
class When {
 public:
  When() = default;
  When(Trigger trigger) : triggers_{std::move(trigger)} {}  // NOLINT: a trigger is a schedule

  friend When operator|(When a, const When& b);
  friend When at_end();

  /// As of Trigger, over all of them; every trigger learns that its moment has passed.
  bool due(const Clock& now);
  void skip(const Clock& now) {
    for (Trigger& trigger : triggers_) trigger.skip(now);
  }
  Index steps_until_due(const Clock& now, double dt) const;
  double time_until_due(const Clock& now) const;
  bool is_at_end() const { return at_end_; }
  bool is_only_at_end() const { return triggers_.empty(); }
  /// How often it is due in a run of so many steps of size dt from 0 on, the end included; what is
  /// scheduled by wall time does not count.
  Index times_due(Index steps, double dt) const;
  bool has_wall_time() const;
  /// Whether one of its triggers is automatic; set_interval() is for those.
  bool is_automatic() const;
  void set_interval(double seconds);
  bool is_never() const { return triggers_.empty() && !at_end_; }
  /// Whether one of its triggers is every(1).
  bool is_every_step() const;

  /// One line per trigger, for checkpoints. A restart with another number of triggers takes what
  /// it needs from the first.
  std::vector<std::string> state() const;
  void restore(const std::vector<std::string>& state);
  /// "every 100 steps, at the end".
  std::string describe(const std::string& time_unit = {}) const;

 private:
  std::vector<Trigger> triggers_;
  bool at_end_ = false;
};

When operator|(When a, const When& b);
/// When the run has finished; not when it is stopped to be resubmitted.
When at_end();

}  // namespace goban
