#pragma once
// Numbers of a program that a device keeps in its memory while it repeats a loop.

#include <memory>
#include <set>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

class DeviceNumbers {
 public:
  /// `within`: loops that every round of the loop holds.
  DeviceNumbers(Executor& executor, const std::set<std::shared_ptr<ParameterRecord>>& numbers,
                const std::vector<const Stage*>& within = {});

  /// Where a number lies; null: the host keeps it.
  double* find(const ParameterRecord* number) const;
  /// When the loop is over, and one within it.
  LoopEnd end(const Stage& loop) const;
  LoopEnd end_within(std::size_t n) const;

  /// The place of the number of each argument of a sweep.
  std::vector<const double*> places(const Stage& sweep) const;
  ScalarTask task(const std::shared_ptr<const Stage>& stage) const;
  /// The executor computes a scalar stage.
  EventPtr compute(const std::shared_ptr<const Stage>& stage) const;

  /// Takes the numbers to the device, with no rounds so far; nothing is under way.
  void upload(Index most_rounds);
  /// Takes the numbers from the device when all is done; returns the rounds.
  Index download();
  /// As downloaded: rounds of a loop within, each time it ran, and how often it ran.
  Index rounds_within(std::size_t n) const;
  Index entered(std::size_t n) const;
  /// The first loop whose condition did not hold after all of its rounds, or cannot any more as its
  /// number is NaN; null: there is none.
  const Stage* missed() const;
  /// The steps that the loop had whose number was not reached.
  Index steps_of_missed() const;

 private:
  LoopEnd end_of(const Stage& loop, std::size_t first) const;
  std::size_t first_of(std::size_t within) const { return numbers_.size() + 3 + 4 * within; }
  double* place(std::size_t n) const {
    return reinterpret_cast<double*>(memory_.get()) + static_cast<std::ptrdiff_t>(n);
  }

  Executor& executor_;
  std::vector<std::shared_ptr<ParameterRecord>> numbers_;
  std::vector<const Stage*> within_;
  /// Numbers; for the loop: rounds, most rounds, which one missed its condition; of each within it:
  /// rounds, most rounds, rounds of all times, times.
  std::vector<double> values_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace goban
