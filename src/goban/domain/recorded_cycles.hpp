#pragma once
// Cycles that were submitted before are replayed as they were recorded: one call instead of one for
// every sweep, copy and event.

#include <memory>
#include <vector>

#include "goban/domain/domain.hpp"

namespace goban {

/// Of one segment on one grid. What a cycle submits depends on the length of the cycle, on which
/// buffers names are bound to, on which halos are valid and on the values of parameters.
class RecordedCycles {
 public:
  /// Runs a cycle by calling `submit`, or what that submitted when everything was the same.
  template <class Submit>
  void run(Domain& domain, int steps, const std::vector<double>& values, Submit&& submit) {
    if (const Entry* entry = find(domain, steps, values)) {
      replay(domain, *entry);
      return;
    }
    if (!begin(domain, steps, values)) return submit();
    submit();
    end(domain);
  }

 private:
  struct Entry {
    int steps;
    std::vector<double> values;
    BufferState before, after;
    std::unique_ptr<Recording> work;  ///< null: seen once, not recorded
  };

  const Entry* find(const Domain& domain, int steps, const std::vector<double>& values) const;
  void replay(Domain& domain, const Entry& entry);
  /// Whether what follows is recorded: things seen for the second time are.
  bool begin(Domain& domain, int steps, const std::vector<double>& values);
  void end(Domain& domain);

  std::vector<Entry> entries_;
  std::size_t recording_ = 0;
};

}  // namespace goban
