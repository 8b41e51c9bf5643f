#pragma once
// Statistics over time of every cell, kept while the run goes on.

#include <span>
#include <vector>

#include "goban/base/types.hpp"

namespace goban {

/// Mean, variance, minimum and maximum of `cells()` values over time, from samples taken one after
/// another: between two of them at a distance d the value counts as the first for one half of d and
/// as the second for the other (the trapezoidal rule), so that the mean is that over time however
/// steps vary. One sample is its own mean. By Welford's recurrence in double precision, with the
/// time T before, the samples x and y at the ends of d and their mean z:
///   mean' = mean + (z - mean) d / (T + d),
///   M' = M + d ((y - x)^2 / 4 + (z - mean)^2 T / (T + d)),   variance = M / T.
/// Cells are independent, so results do not depend on how they are cut into patches or threads.
///
/// A sample is one begin_sample() and then accumulate() over all cells in pieces; threads may work
/// on different pieces at the same time.
class RunningStatistics {
 public:
  static constexpr Index bytes_per_cell = 40;

  explicit RunningStatistics(Index cells);

  /// `time` grows from sample to sample.
  void begin_sample(double time);

  /// Values of cells [first, first + n); T is any element type.
  template <class T>
  void accumulate(Index first, const T* values, Index n);

  Index cells() const { return static_cast<Index>(mean_.size()); }
  Index samples() const { return samples_; }
  double time() const { return time_; }  ///< the time of the last sample
  double span() const { return span_; }  ///< time from the first sample to the last

  /// Meaningful from the first sample on.
  std::span<const double> last() const { return last_; }
  std::span<const double> mean() const { return mean_; }
  std::span<const double> minimum() const { return minimum_; }
  std::span<const double> maximum() const { return maximum_; }
  double variance(Index cell) const { return span_ > 0 ? deviation_[cell] / span_ : 0; }

  /// Everything there is, to be written to a checkpoint and read back into an object of as many
  /// cells; `deviation` is M, `last` the last sample.
  std::span<const double> deviation() const { return deviation_; }
  std::span<double> last() { return last_; }
  std::span<double> mean() { return mean_; }
  std::span<double> deviation() { return deviation_; }
  std::span<double> minimum() { return minimum_; }
  std::span<double> maximum() { return maximum_; }
  void set_samples(Index samples, double time, double span) {
    samples_ = samples;
    time_ = time;
    span_ = span;
  }

 private:
  Index samples_ = 0;
  double time_ = 0, span_ = 0, interval_ = 0;
  std::vector<double> last_, mean_, deviation_, minimum_, maximum_;
};

}  // namespace goban
