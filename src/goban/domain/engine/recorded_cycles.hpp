#pragma once
// Records cycles and replays them, which takes one call instead of one for every sweep, copy and
// event.

#include <map>
#include <memory>
#include <vector>

#include "goban/domain/engine/number_table.hpp"
#include "goban/domain/engine/phases.hpp"

namespace goban {

/// The recording of some cycles. It has several parts if the host takes results in between; each
/// part is replayed as a whole. The calls below are made in the same order while it is recorded and
/// when it is replayed.
class RecordedWork {
 public:
  explicit RecordedWork(Domain& domain) : domain_(domain) {}
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  /// Returns whether it is replayed, so that work submitted to it changes what was recorded.
  /// Otherwise work is recorded and then run.
  bool is_complete() const { return is_complete_; }
  /// Must be called before the first cycle.
  void start();
  /// Must be called before a command is submitted that is to be recorded, or to change what was.
  void open();
  /// Must be called before the host takes a result. Starts the work of the part that ends here.
  void close();
  /// Must be called after the last cycle.
  void finish();
  int next_number() { return number_++; }
  /// Returns the table of the changing numbers of an executor's sweeps, which the next replay takes
  /// to the executor first.
  NumberTable& numbers(Executor& executor) {
    return numbers_.try_emplace(&executor, executor).first->second;
  }

  struct Cycle {
    std::shared_ptr<Phase> phase;
    std::vector<EventPtr> events;  ///< one per command
  };
  std::vector<Cycle> cycles;

 private:
  Domain& domain_;
  std::map<Executor*, NumberTable> numbers_;
  /// Null where nothing is submitted between two results.
  std::vector<std::unique_ptr<Recording>> parts_;
  bool is_complete_ = false, is_open_ = false;
  std::size_t part_ = 0;
  int number_ = 0;
};

/// The recordings of one schedule. A recording is valid for a number of cycles, a state of the
/// domain (which buffers names are bound to, which halos are valid, which channels there are), and
/// values of the parameters that do not lie in the devices' memory. Everything else that differs
/// from step to step is changed in the recording before a replay: numbers that the program
/// computes, the step itself, and where fields stored in place and samples lie.
class RecordedCycles {
 public:
  /// Returns the recording of this number of cycles, which is empty when they come for the second
  /// time. Returns null the first time; they are then run without being recorded.
  RecordedWork* find(Domain& domain, int cycles, const std::vector<double>& values);
  /// Drops a recording that failed or that depends on values that it was not asked for with.
  void drop(const RecordedWork* work);

 private:
  struct Entry {
    int cycles = 1;
    std::vector<double> values;
    int before = -1;                     ///< Domain::state_number() before the cycles
    std::unique_ptr<RecordedWork> work;  ///< null if the cycles were seen once and not recorded
  };
  std::vector<Entry> entries_;
};

}  // namespace goban
