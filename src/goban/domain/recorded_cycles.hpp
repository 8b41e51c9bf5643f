#pragma once
// Cycles that were submitted before are replayed as they were recorded: one call instead of one for
// every sweep, copy and event.

#include <memory>
#include <vector>

#include "goban/domain/command_runner.hpp"

namespace goban {

/// Of one segment on one grid. What cycles submit depends on their length and number, on which
/// buffers names are bound to, on which halos are valid, on the ways halos take to other ranks and
/// on the values of parameters; what differs from step to step, numbers that the program computes
/// and the step itself, is changed in what was recorded.
class RecordedCycles {
 public:
  struct Length {
    int steps = 1;  ///< of a cycle
    int pass = 1;   ///< steps of a pass
    Overlap overlap = Overlap::none;
    int cycles = 1;  ///< that are recorded together
    bool operator==(const Length&) const = default;
  };
  using Phases = std::vector<std::shared_ptr<Phase>>;
  /// Runs cycles by calling `submit`, which notes the phases it has run, or what that submitted
  /// when everything was the same, after change(phases, recording).
  template <class Submit, class Change>
  void run(Domain& domain, const Length& length, const std::vector<double>& values, Submit&& submit,
           Change&& change) {
    const int before = domain.state_number();
    if (const Entry* entry = find(length, values, before)) {
      change(entry->phases, *entry->work);
      replay(domain, *entry);
      return;
    }
    Phases phases;
    if (!begin(domain, length, values, before)) return submit(phases);
    try {
      submit(phases);
    } catch (...) {
      abandon(domain);
      throw;
    }
    end(domain, std::move(phases));
  }

 private:
  struct Entry {
    Length length;
    std::vector<double> values;
    int before = -1;                  ///< number of the state of the domain's buffers
    Phases phases;                    ///< of the cycles
    std::unique_ptr<Recording> work;  ///< null: seen once, not recorded
  };

  const Entry* find(const Length& length, const std::vector<double>& values, int before) const;
  static void replay(Domain& domain, const Entry& entry);
  /// Whether what follows is recorded: things seen for the second time are.
  bool begin(Domain& domain, const Length& length, const std::vector<double>& values, int before);
  void end(Domain& domain, Phases phases);
  /// Executors do what they are given again.
  static void abandon(Domain& domain);

  std::vector<Entry> entries_;
  std::size_t recording_ = 0;
};

}  // namespace goban
