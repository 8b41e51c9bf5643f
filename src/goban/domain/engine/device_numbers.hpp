#pragma once
// The numbers of a program that a device keeps in its memory while it repeats a loop.

#include <memory>
#include <set>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/domain/engine/number_table.hpp"

namespace goban {

class DeviceNumbers {
 public:
  /// Allocates memory for these parameters and for the counters of the loop and of the inner loops
  /// `within`.
  DeviceNumbers(Executor& executor, const std::set<std::shared_ptr<ParameterRecord>>& numbers,
                const std::vector<const Stage*>& within = {});

  /// Returns the address of a parameter in the device's memory; null if the host keeps it.
  double* find(const ParameterRecord* number) const;
  /// Return the conditions under which the loop, and the n-th inner loop, end.
  LoopEnd end(const Stage& loop) const;
  LoopEnd end_within(std::size_t n) const;

  /// Returns for each argument of a sweep the address of its parameter; null if it has none or the
  /// host keeps it.
  std::vector<const double*> places(const Stage& sweep) const;
  ScalarTask task(const std::shared_ptr<const Stage>& stage) const;
  /// Submits a scalar stage to the executor.
  EventPtr compute(const std::shared_ptr<const Stage>& stage) const;

  /// Copies the numbers to the device and sets the number of rounds to 0. No work may be under way.
  void upload(Index most_rounds);
  /// Waits for the device, copies the numbers back, and returns the number of rounds of the loop.
  Index download();
  /// Return, as of the last download(), the rounds of the n-th inner loop in all, and how often it
  /// was entered.
  Index rounds_within(std::size_t n) const;
  Index entered(std::size_t n) const;
  /// Returns the first inner loop whose condition did not hold after its most rounds, or whose
  /// number has become NaN; null if there is none.
  const Stage* missed() const;
  /// Returns the number of steps that this inner loop has run.
  Index steps_of_missed() const;

 private:
  LoopEnd end_of(const Stage& loop, std::size_t first) const;
  std::size_t first_of(std::size_t within) const { return numbers_.size() + 3 + 4 * within; }
  std::size_t count() const { return first_of(within_.size()); }
  double* place(std::size_t n) const { return place_.device + n; }
  Index downloaded(std::size_t n) const { return static_cast<Index>(place_.host[n]); }

  Executor& executor_;
  std::vector<std::shared_ptr<ParameterRecord>> numbers_;
  std::vector<const Stage*> within_;
  NumberTable table_;
  /// Layout: the numbers; for the loop its rounds, most rounds, and which loop missed its
  /// condition; for each inner loop its rounds, most rounds, rounds in all, and how often it was
  /// entered.
  NumberTable::Place place_;
};

}  // namespace goban
