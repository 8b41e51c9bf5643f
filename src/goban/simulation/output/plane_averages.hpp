#pragma once
// Averages over planes and time.

#include <array>
#include <span>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/base/exact_sum.hpp"

namespace goban {

/// Means of quantities over planes and time, and covariances, from samples taken one after another.
/// A sample has n values a plane, with the sums S and P of their deviations from the mean so far
/// and of products of two of these; its mean is x = mean + S / n, its covariance c = P / n - S S' /
/// n^2. An interval d between two samples counts half as the one and half as the other, as in
/// RunningStatistics; with their mean z and the time T before,
///   mean' = mean + (z - mean) d / (T + d),
///   C' = C + d / (T + d) (c - C + (z - mean) (z' - mean') T / (T + d)),
/// where c is the covariance of both samples together. Sums are exact: results do not depend on who
/// has which values.
///
/// A sample is accumulate() for all values, in pieces, and then add_sample().
class PlaneAverages {
 public:
  /// Two quantities; twice the same one for its variance.
  using Pair = std::array<std::size_t, 2>;

  PlaneAverages(Index planes, std::size_t quantities, std::vector<Pair> pairs);

  /// values[q]: some of a plane, as many of each quantity. Threads may work on different planes.
  void accumulate(Index plane, std::span<const std::vector<double>> values);
  /// Counts what all ranks have accumulated; so many values of each plane. `time` grows from sample
  /// to sample. Collective.
  void add_sample(Communicator& communicator, Index values_of_plane, double time);
  /// Takes the means of what has been accumulated for those before the first sample, which is to be
  /// accumulated again: deviations from 0 may have lost digits. Collective.
  void begin_with_means(Communicator& communicator, Index values_of_plane);

  Index bytes() const { return static_cast<Index>(sums_.size() * sizeof(ExactSum)); }
  Index planes() const { return planes_; }
  Index samples() const { return state_.samples; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  double mean(Index plane, std::size_t quantity) const;
  double covariance(Index plane, std::size_t pair) const;

  /// Everything there is, for checkpoints: means, then covariances, plane by plane.
  struct State {
    Index samples = 0;
    double time = 0;                    ///< the time of the last sample
    double span = 0;                    ///< from the first sample to the last
    std::vector<double> numbers, last;  ///< numbers of all samples so far, and of the last
  };
  const State& state() const { return state_; }
  /// Error (usage): of other planes or quantities.
  void restore(State state);

 private:
  std::size_t of_plane() const { return quantities_ + pairs_.size(); }
  std::vector<double> take_sums(Communicator& communicator);

  Index planes_;
  std::size_t quantities_;
  std::vector<Pair> pairs_;
  State state_;
  std::vector<ExactSum> sums_;  ///< as State::numbers, of the sample that is being taken
};

}  // namespace goban
