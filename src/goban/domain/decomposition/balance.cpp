#include "goban/domain/decomposition/balance.hpp"

#include <algorithm>
#include <numeric>

namespace goban {

std::vector<Index> weighted_cuts(Index cells, const std::vector<double>& weights, Index least) {
  const auto pieces = static_cast<Index>(weights.size());
  const Index floor = std::min(least, cells / pieces);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Index> cuts{0};
  double passed = 0;
  for (Index n = 1; n <= pieces; ++n) {
    passed += weights[static_cast<std::size_t>(n - 1)];
    const auto ideal = static_cast<Index>(static_cast<double>(cells) * passed / all + 0.5);
    // Room for the pieces before and for those that follow.
    const Index low = cuts.back() + floor, high = cells - (pieces - n) * floor;
    cuts.push_back(n == pieces ? cells : std::clamp(ideal, low, high));
  }
  return cuts;
}

Decomposition balanced(const Decomposition& decomposition, const std::vector<double>& seconds,
                       Index least) {
  Decomposition adjusted = decomposition;
  const Index3 pieces = decomposition.process_grid();
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto count = static_cast<std::size_t>(pieces[a]);
    if (count == 1) continue;
    std::vector<double> busy(count), cells(count);
    for (int patch = 0; patch < decomposition.patches(); ++patch) {
      const auto n = static_cast<std::size_t>(decomposition.coordinates(patch)[a]);
      const auto volume = static_cast<double>(decomposition.owned(patch).volume());
      busy[n] += seconds[static_cast<std::size_t>(patch)] * volume;
      cells[n] += volume;
    }
    std::vector<double> rates(count);
    for (std::size_t n = 0; n < count; ++n) {
      if (busy[n] <= 0) return decomposition;  // nothing was measured
      const auto extent = static_cast<double>(decomposition.extent(axis, static_cast<Index>(n)));
      rates[n] = extent * cells[n] / busy[n];
    }
    adjusted.cuts[a] = weighted_cuts(decomposition.cuts[a].back(), rates, least);
  }
  return adjusted;
}

double imbalance_of(const std::vector<double>& seconds) {
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (sum <= 0) return 0;
  return *std::max_element(seconds.begin(), seconds.end()) * static_cast<double>(seconds.size()) /
             sum -
         1;
}

}  // namespace goban
