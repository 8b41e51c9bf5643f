#pragma once
// Cycles that were submitted before are replayed as they were recorded: one call instead of one for
// every sweep, copy and event.

#include <memory>
#include <vector>

#include "goban/domain/engine/changing_numbers.hpp"
#include "goban/domain/engine/phases.hpp"

namespace goban {

/// What was recorded, or is. The host takes results between its parts, of which each is replayed as
/// a whole.
class RecordedWork {
 public:
  explicit RecordedWork(Domain& domain) : domain_(domain) {}
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  /// Whether it is replayed: what follows are changes. Otherwise work is recorded and then run.
  bool is_complete() const { return is_complete_; }
  /// To be called before the first cycle.
  void start();
  /// To be called before a command: what is submitted now is recorded, or changes what was.
  void open();
  /// To be called before the host takes a result: what came since the last is done.
  void close();
  /// To be called after the last cycle.
  void finish();
  int next_number() { return number_++; }
  /// Before a sweep whose numbers change: they are part of what the next replay begins with.
  ChangingNumbers& numbers() { return numbers_; }

  struct Cycle {
    std::shared_ptr<Phase> phase;
    std::vector<EventPtr> events;  ///< per command
  };
  std::vector<Cycle> cycles;

 private:
  Domain& domain_;
  ChangingNumbers numbers_;
  std::vector<std::unique_ptr<Recording>> parts_;  ///< null: nothing is done between two results
  bool is_complete_ = false, is_open_ = false;
  std::size_t part_ = 0;
  int number_ = 0;
};

/// The recorded cycles of one schedule. What cycles submit depends on how many there are, on which
/// buffers names are bound to, on which halos are valid, on the ways halos take to other ranks and
/// on the values of parameters that are not in the devices' memory; what differs from step to step,
/// numbers that the program computes, the step itself, where fields stored in place lie and samples
/// go, is changed in what was recorded.
class RecordedCycles {
 public:
  /// What was recorded of so many cycles; null: they come for the first time and are not recorded.
  RecordedWork* find(Domain& domain, int cycles, const std::vector<double>& values);
  /// Drops a recording in which something went wrong.
  void drop(const RecordedWork* work);

 private:
  struct Entry {
    int cycles = 1;
    std::vector<double> values;
    int before = -1;                     ///< number of the state of the domain's buffers
    std::unique_ptr<RecordedWork> work;  ///< null: seen once, not recorded
  };
  std::vector<Entry> entries_;
};

}  // namespace goban
