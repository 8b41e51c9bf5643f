#pragma once
// Numbers of a program that a device keeps in its memory while it repeats a loop.

#include <memory>
#include <set>
#include <vector>

#include "goban/backend/api.hpp"

namespace goban {

class DeviceNumbers {
 public:
  DeviceNumbers(Executor& executor, const std::set<std::shared_ptr<ParameterRecord>>& numbers);

  /// Where a number lies; null: the host keeps it.
  double* find(const ParameterRecord* number) const;
  /// Rounds so far, and how many there may be.
  double* rounds() const { return place(numbers_.size()); }
  double* most_rounds() const { return place(numbers_.size() + 1); }

  /// Per argument of a sweep.
  std::vector<const double*> places(const Stage& sweep) const;
  ScalarTask task(const std::shared_ptr<const Stage>& stage) const;
  /// The executor computes a scalar stage.
  EventPtr compute(const std::shared_ptr<const Stage>& stage) const;

  /// To the device, with no rounds so far; nothing is under way.
  void upload(Index most_rounds);
  /// From the device when all is done; returns the rounds.
  Index download();

 private:
  double* place(std::size_t n) const {
    return reinterpret_cast<double*>(memory_.get()) + static_cast<std::ptrdiff_t>(n);
  }

  Executor& executor_;
  std::vector<std::shared_ptr<ParameterRecord>> numbers_;
  std::vector<double> values_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace goban
