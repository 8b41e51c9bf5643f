#pragma once
// Cycles that were submitted before are replayed as they were recorded: one call instead of one for
// every sweep, copy and event.

#include <memory>
#include <vector>

#include "goban/domain/domain.hpp"

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
  /// Runs cycles by calling `submit`, or what that submitted when everything was the same, after
  /// change(recording).
  template <class Submit, class Change>
  void run(Domain& domain, const Length& length, const std::vector<double>& values, Submit&& submit,
           Change&& change) {
    if (const Entry* entry = find(domain, length, values)) {
      change(*entry->work);
      replay(domain, *entry);
      return;
    }
    if (!begin(domain, length, values)) return submit();
    try {
      submit();
    } catch (...) {
      abandon(domain);
      throw;
    }
    end(domain);
  }

 private:
  struct Entry {
    Length length;
    std::vector<double> values;
    BufferState before, after;
    std::unique_ptr<Recording> work;  ///< null: seen once, not recorded
  };

  const Entry* find(const Domain& domain, const Length& length,
                    const std::vector<double>& values) const;
  void replay(Domain& domain, const Entry& entry);
  /// Whether what follows is recorded: things seen for the second time are.
  bool begin(Domain& domain, const Length& length, const std::vector<double>& values);
  void end(Domain& domain);
  /// Executors do what they are given again.
  static void abandon(Domain& domain);

  std::vector<Entry> entries_;
  std::size_t recording_ = 0;
};

}  // namespace goban
