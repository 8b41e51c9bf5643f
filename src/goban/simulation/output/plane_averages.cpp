#include "goban/simulation/output/plane_averages.hpp"

#include "goban/base/error.hpp"

namespace goban {

PlaneAverages::PlaneAverages(Index planes, std::size_t quantities, std::vector<Pair> pairs)
    : planes_(planes),
      quantities_(quantities),
      pairs_(std::move(pairs)),
      numbers_(static_cast<std::size_t>(planes) * of_plane()),
      sums_(numbers_.size()) {}

void PlaneAverages::accumulate(Index plane, std::span<const std::vector<double>> values) {
  const std::size_t first = static_cast<std::size_t>(plane) * of_plane();
  std::vector<std::vector<double>> deviations(values.begin(), values.end());
  for (std::size_t q = 0; q < quantities_; ++q) {
    for (double& value : deviations[q]) value -= numbers_[first + q];
    sums_[first + q].add(deviations[q].data(), static_cast<Index>(deviations[q].size()));
  }
  std::vector<double> products;
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const auto& [one, other] = pairs_[p];
    products = deviations[one];
    for (std::size_t i = 0; i < products.size(); ++i) products[i] *= deviations[other][i];
    sums_[first + quantities_ + p].add(products.data(), static_cast<Index>(products.size()));
  }
}

std::vector<double> PlaneAverages::take_sums(Communicator& communicator) {
  std::vector<std::uint64_t> limbs;
  for (const ExactSum& sum : sums_) {
    const ExactSum::State state = sum.state();
    limbs.insert(limbs.end(), state.begin(), state.end());
  }
  if (communicator.size() > 1) communicator.sum(limbs);
  std::vector<double> totals;
  for (std::size_t n = 0; n < sums_.size(); ++n) {
    ExactSum::State state;
    for (std::size_t i = 0; i < state.size(); ++i) {
      state[i] = static_cast<std::int64_t>(limbs[n * state.size() + i]);
    }
    ExactSum total;
    total.merge(state);
    totals.push_back(total.value());
  }
  sums_.assign(numbers_.size(), {});
  return totals;
}

void PlaneAverages::add_sample(Communicator& communicator, Index values_of_plane) {
  values_of_plane_ = values_of_plane;
  ++samples_;
  const double count = static_cast<double>(values_of_plane) * static_cast<double>(samples_);
  const std::vector<double> sums = take_sums(communicator);
  for (std::size_t first = 0; first < numbers_.size(); first += of_plane()) {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto& [one, other] = pairs_[p];
      numbers_[first + quantities_ + p] +=
          sums[first + quantities_ + p] - sums[first + one] * sums[first + other] / count;
    }
    for (std::size_t q = 0; q < quantities_; ++q) numbers_[first + q] += sums[first + q] / count;
  }
}

void PlaneAverages::begin_with_means(Communicator& communicator, Index values_of_plane) {
  const std::vector<double> sums = take_sums(communicator);
  for (std::size_t first = 0; first < numbers_.size(); first += of_plane()) {
    for (std::size_t q = 0; q < quantities_; ++q) {
      numbers_[first + q] = sums[first + q] / static_cast<double>(values_of_plane);
    }
  }
}

double PlaneAverages::mean(Index plane, std::size_t quantity) const {
  return numbers_[static_cast<std::size_t>(plane) * of_plane() + quantity];
}

double PlaneAverages::covariance(Index plane, std::size_t pair) const {
  const double count = static_cast<double>(values_of_plane_) * static_cast<double>(samples_);
  return numbers_[static_cast<std::size_t>(plane) * of_plane() + quantities_ + pair] / count;
}

void PlaneAverages::restore(Index samples, Index values_of_plane, std::vector<double> numbers) {
  require(numbers.size() == numbers_.size(), "averages cannot go on from the checkpoint",
          "it has those of other fields or planes", "give the output another name");
  samples_ = samples;
  values_of_plane_ = values_of_plane;
  numbers_ = std::move(numbers);
}

}  // namespace goban
