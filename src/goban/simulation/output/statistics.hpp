#pragma once
// Statistics over time of every cell, kept while the run goes on.

#include <span>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Mean, variance, minimum and maximum of `cells()` values over samples taken one after another, by
/// Welford's recurrence in double precision:
///   mean_n = mean_(n-1) + (x - mean_(n-1)) / n,
///   M_n = M_(n-1) + (x - mean_(n-1)) (x - mean_n),   variance = M_n / n.
/// Cells are independent, so results do not depend on how they are cut into patches or threads.
///
/// A sample is one begin_sample() and then accumulate() over all cells in pieces; threads may work
/// on different pieces at the same time.
class RunningStatistics {
 public:
  static constexpr Index bytes_per_cell = 32;

  explicit RunningStatistics(Index cells);

  void begin_sample() { ++samples_; }

  /// Values of cells [first, first + n); T is any element type.
  template <class T>
  void accumulate(Index first, const T* values, Index n);

  Index cells() const { return static_cast<Index>(mean_.size()); }
  Index samples() const { return samples_; }

  /// Meaningful from the first sample on.
  std::span<const double> mean() const { return mean_; }
  std::span<const double> minimum() const { return minimum_; }
  std::span<const double> maximum() const { return maximum_; }
  double variance(Index cell) const { return deviation_[cell] / static_cast<double>(samples_); }

  /// Everything there is, to be written to a checkpoint and read back into an object of as many
  /// cells; `deviation` is M.
  std::span<const double> deviation() const { return deviation_; }
  std::span<double> mean() { return mean_; }
  std::span<double> deviation() { return deviation_; }
  std::span<double> minimum() { return minimum_; }
  std::span<double> maximum() { return maximum_; }
  void set_samples(Index samples) { samples_ = samples; }

 private:
  Index samples_ = 0;
  std::vector<double> mean_, deviation_, minimum_, maximum_;
};

}  // namespace goban
