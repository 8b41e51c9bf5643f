#pragma once
// Averages over planes and time.

#include <array>
#include <span>
#include <vector>

#include "goban/base/communicator.hpp"
#include "goban/base/exact_sum.hpp"

namespace goban {

/// Means of quantities over planes and over samples taken one after another, and covariances. Of N
/// samples of n values a plane each, with the sums S and P of deviations of the last sample from
/// the mean before and of products of two of them,
///   mean_N = mean_(N-1) + S / (n N),   M_N = M_(N-1) + P - S S' / (n N),   covariance = M / (n N).
/// Sums are exact: results do not depend on who has which values.
///
/// A sample is accumulate() for all values, in pieces, and then add_sample().
class PlaneAverages {
 public:
  /// Two quantities; twice the same one for its variance.
  using Pair = std::array<std::size_t, 2>;

  PlaneAverages(Index planes, std::size_t quantities, std::vector<Pair> pairs);

  /// values[q]: some of a plane, as many of each quantity. Threads may work on different planes.
  void accumulate(Index plane, std::span<const std::vector<double>> values);
  /// Counts what all ranks have accumulated; so many values of each plane. Collective.
  void add_sample(Communicator& communicator, Index values_of_plane);
  /// Takes the means of what has been accumulated for those before the first sample, which is to be
  /// accumulated again: deviations from 0 may have lost digits. Collective.
  void begin_with_means(Communicator& communicator, Index values_of_plane);

  Index bytes() const { return static_cast<Index>(sums_.size() * sizeof(ExactSum)); }
  Index planes() const { return planes_; }
  Index samples() const { return samples_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  double mean(Index plane, std::size_t quantity) const;
  double covariance(Index plane, std::size_t pair) const;

  /// Everything there is, for checkpoints: means, then M of pairs, plane by plane.
  const std::vector<double>& numbers() const { return numbers_; }
  /// Error (usage): another number of them.
  void restore(Index samples, Index values_of_plane, std::vector<double> numbers);
  Index values_of_plane() const { return values_of_plane_; }

 private:
  std::size_t of_plane() const { return quantities_ + pairs_.size(); }
  std::vector<double> take_sums(Communicator& communicator);

  Index planes_;
  std::size_t quantities_;
  std::vector<Pair> pairs_;
  Index samples_ = 0, values_of_plane_ = 0;
  std::vector<double> numbers_;  ///< of a plane its quantities, then its pairs
  std::vector<ExactSum> sums_;   ///< likewise, of the sample that is being taken
};

}  // namespace goban
