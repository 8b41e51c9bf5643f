#include "goban/simulation/output/plane_averages.hpp"

#include "goban/base/error.hpp"

namespace goban {

PlaneAverages::PlaneAverages(Index planes, std::size_t quantities, std::vector<Pair> pairs)
    : planes_(planes),
      quantities_(quantities),
      pairs_(std::move(pairs)),
      sums_(static_cast<std::size_t>(planes) * of_plane()) {
  state_.numbers.resize(sums_.size());
  state_.last.resize(sums_.size());
}

void PlaneAverages::accumulate(Index plane, std::span<const std::vector<double>> values) {
  const std::size_t first = static_cast<std::size_t>(plane) * of_plane();
  std::vector<std::vector<double>> deviations(values.begin(), values.end());
  for (std::size_t q = 0; q < quantities_; ++q) {
    for (double& value : deviations[q]) value -= state_.numbers[first + q];
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
  sums_.assign(sums_.size(), {});
  return totals;
}

void PlaneAverages::add_sample(Communicator& communicator, Index values_of_plane, double time) {
  const bool is_first = state_.samples++ == 0;
  const double interval = is_first ? 0 : time - state_.time;
  state_.time = time;
  state_.span += interval;
  const double share = state_.span > 0 ? interval / state_.span : 1;
  std::vector<double> sample = take_sums(communicator);
  for (double& number : sample) number /= static_cast<double>(values_of_plane);
  std::vector<double> half_change(quantities_), from_mean(quantities_);
  for (std::size_t first = 0; first < sample.size(); first += of_plane()) {
    double* const all = state_.numbers.data() + first;
    double* const last = state_.last.data() + first;
    double* const now = sample.data() + first;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto& [one, other] = pairs_[p];
      now[quantities_ + p] -= now[one] * now[other];
      if (is_first) last[quantities_ + p] = now[quantities_ + p];
    }
    for (std::size_t q = 0; q < quantities_; ++q) {
      now[q] += all[q];
      if (is_first) last[q] = now[q];
      half_change[q] = 0.5 * (now[q] - last[q]);
      from_mean[q] = now[q] - half_change[q] - all[q];
      all[q] += from_mean[q] * share;
    }
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const auto& [one, other] = pairs_[p];
      double& covariance = all[quantities_ + p];
      const double of_both = 0.5 * (now[quantities_ + p] + last[quantities_ + p]) +
                             half_change[one] * half_change[other];
      covariance +=
          share * (of_both - covariance + from_mean[one] * from_mean[other] * (1 - share));
    }
  }
  state_.last = std::move(sample);
}

void PlaneAverages::begin_with_means(Communicator& communicator, Index values_of_plane) {
  const std::vector<double> sums = take_sums(communicator);
  for (std::size_t first = 0; first < sums.size(); first += of_plane()) {
    for (std::size_t q = 0; q < quantities_; ++q) {
      state_.numbers[first + q] = sums[first + q] / static_cast<double>(values_of_plane);
    }
  }
}

double PlaneAverages::mean(Index plane, std::size_t quantity) const {
  return state_.numbers[static_cast<std::size_t>(plane) * of_plane() + quantity];
}

double PlaneAverages::covariance(Index plane, std::size_t pair) const {
  return state_.numbers[static_cast<std::size_t>(plane) * of_plane() + quantities_ + pair];
}

void PlaneAverages::restore(State state) {
  require(state.numbers.size() == sums_.size() && state.last.size() == sums_.size(),
          "averages cannot go on from the checkpoint", "it has those of other fields or planes",
          "give the output another name");
  state_ = std::move(state);
}

}  // namespace goban
